import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CountDownLatch;
import org.opensearch.common.settings.Settings;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;

/**
 * Starts a node like `bin/opensearch`, from the jars on Maven Central: with the settings in `opensearch.yml` in the folder
 * OPENSEARCH_PATH_CONF and with its plugins, but without a security manager. Argument: the home folder.
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
