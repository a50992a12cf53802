import org.apache.jena.http.sys.RegistryRequestModifier;
import org.apache.jena.query.ResultSet;
import org.apache.jena.rdf.model.Model;
import org.apache.jena.rdf.model.ModelFactory;
import org.apache.jena.rdf.model.ResourceFactory;
import org.apache.jena.rdfconnection.RDFConnection;
import org.apache.jena.rdfconnection.RDFConnectionRemote;
import org.apache.jena.riot.RDFFormat;
import org.apache.jena.sparql.exec.http.GSP;
import org.apache.jena.vocabulary.RDF;

/** Asks and changes a server by Apache Jena's remote connection; prints what it sees, a line for each step. */
public class JenaClient {
    static final String E = "http://example.org/";

    public static void main(String[] arguments) {
        String address = arguments[0], token = arguments[1];
        RegistryRequestModifier.get().addPrefix(address + "/", (parameters, headers) ->
            headers.put("Authorization", bearer));
        data = address + "/data";
        bearer = "Bearer " + token;
        for (RDFFormat format : new RDFFormat[] {RDFFormat.TURTLE, RDFFormat.NTRIPLES, RDFFormat.RDFXML}) {
            try (RDFConnection connection = RDFConnectionRemote.newBuilder().destination(address)
                    .queryEndpoint("sparql").updateEndpoint("update").gspEndpoint("data").quadsFormat(RDFFormat.NQUADS)
                    .triplesFormat(format).build()) {
                run(connection, format.getLang().getName());
            }
        }
    }

    static String data, bearer;

    static void run(RDFConnection connection, String name) {
        Model model = ModelFactory.createDefaultModel();
        model.createResource(E + "kitty").addProperty(RDF.type, ResourceFactory.createResource(E + "Cat"));
        GSP.service(data).httpHeader("Authorization", bearer).defaultGraph().POST(model.getGraph());
        print(name + " select", connection.query("SELECT ?x { ?x a <" + E + "Animal> } ORDER BY ?x"));
        connection.update("DELETE DATA { <" + E + "kitty> a <" + E + "Cat> }");
        System.out.println(name + " ask " + connection.queryAsk("ASK { <" + E + "kitty> a <" + E + "Animal> }"));
        GSP.service(data).httpHeader("Authorization", bearer).graphName(E + "g").PUT(model.getGraph());
        System.out.println(name + " graph " + connection.fetch(E + "g").size());
        System.out.println(name + " construct " + connection.queryConstruct("CONSTRUCT WHERE { ?x a ?c }").size());
        System.out.println(name + " describe " + connection.queryDescribe("DESCRIBE <" + E + "tom>").size());
        connection.update("DROP GRAPH <" + E + "g>"); // DELETE of the graph store protocol sends no headers in Jena 4.5
        System.out.println(name + " gone " + connection.queryAsk("ASK { GRAPH <" + E + "g> { ?s ?p ?o } }"));
        try {
            connection.update("LOAD <file:///etc/passwd>");
        } catch (RuntimeException error) {
            System.out.println(name + " refused " + error.getClass().getSimpleName());
        }
    }

    static void print(String name, org.apache.jena.query.QueryExecution execution) {
        try (execution) {
            ResultSet rows = execution.execSelect();
            StringBuilder found = new StringBuilder(name);
            while (rows.hasNext()) found.append(' ').append(rows.next().getResource("x").getLocalName());
            System.out.println(found);
        }
    }
}
