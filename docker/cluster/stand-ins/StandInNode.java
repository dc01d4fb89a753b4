import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/**
 * What `bin/opensearch` starts, as far as the jars of Maven Central go: a node with the settings of `opensearch.yml` in the folder of
 * OPENSEARCH_PATH_CONF, with its plugins, without a security manager. Argument: the home.
 */
public class StandInNode {
  public static void main(String[] args) throws Exception {
    Path config = Path.of(System.getenv("OPENSEARCH_PATH_CONF"));
    Settings home = Settings.builder().put("path.home", args[0]).build();
    Node node =
        new Node(
            InternalSettingsPreparer.prepareEnvironment(home, Collections.emptyMap(), config, () -> "stand-in"));
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
