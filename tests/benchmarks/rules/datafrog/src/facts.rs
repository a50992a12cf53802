//! Relations from files of numbers, and orders of them by other columns.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use datafrog::Relation;

pub type Pairs = Relation<(u32, u32)>;

/// The relations of a program by name.
pub struct Facts(HashMap<String, Pairs>);

impl Facts {
    /// Read `NAME.txt` for each relation: two numbers a line.
    pub fn read(folder: &Path) -> io::Result<Facts> {
        let mut found = HashMap::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let (Some(name), Some("txt")) = (path.file_stem(), path.extension().and_then(|e| e.to_str())) else {
                continue;
            };
            let text = std::fs::read_to_string(&path)?;
            let pairs = text.lines().map(pair).collect::<Option<Vec<_>>>().ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, format!("{}: not two numbers a line", path.display()))
            })?;
            found.insert(name.to_string_lossy().into_owned(), pairs.into());
        }
        Ok(Facts(found))
    }

    /// The facts of a relation, which the program must have.
    pub fn of(&self, name: &str) -> &Pairs {
        self.0.get(name).unwrap_or_else(|| panic!("no file {name}.txt"))
    }
}

fn pair(line: &str) -> Option<(u32, u32)> {
    let mut numbers = line.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(first)), Some(Ok(second)), None) => Some((first, second)),
        _ => None,
    }
}

/// Pairs in the order of their second column.
pub fn reversed(pairs: &[(u32, u32)]) -> Pairs {
    pairs.iter().map(|&(x, y)| (y, x)).collect()
}
