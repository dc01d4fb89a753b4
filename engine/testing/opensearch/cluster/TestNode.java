import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/**
 * One real OpenSearch node in this process, on loopback, without a security manager and without the security plugin: for tests,
 * never for production. Arguments: home, folder of its data, name, HTTP port, transport port, addresses and names of all nodes.
 */
public class TestNode {
  public static void main(String[] args) throws Exception {
    Path home = Path.of(args[0]);
    Path data = Path.of(args[1]);
    Path config = Files.createDirectories(data.resolve("config"));
    String name = args[2];
    Settings settings =
        Settings.builder()
            .put("path.home", home.toString())
            .put("path.data", data.resolve("data").toString())
            .put("path.logs", data.resolve("logs").toString())
            .put("cluster.name", "fossick-test-" + args[4])
            .put("node.name", name)
            .put("network.host", "127.0.0.1")
            .put("http.port", args[3])
            .put("transport.port", args[5])
            .putList("discovery.seed_hosts", args[6].split(","))
            .putList("cluster.initial_cluster_manager_nodes", args[7].split(","))
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
    Node node =
        new Node(InternalSettingsPreparer.prepareEnvironment(settings, Collections.emptyMap(), config, () -> name));
    node.start();
    CountDownLatch closed = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    node.close();
                  } catch (Exception error) {
                    error.printStackTrace();
                  }
                  closed.countDown();
                }));
    closed.await();
  }
}
