package kubereel;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * fabric8's client against the API server that KUBECONFIG names. Prints {@code ok NAME} or {@code not ok NAME -- why} for each check;
 * LINE_KUBECONFIG goes through a line that POST LINE/cut, /close and /open break and mend.
 */
public final class Checks {
  private static final String NAMESPACE = "default";
  private static final Map<String, Check> CHECKS = new LinkedHashMap<>();

  private interface Check {
    void run(KubernetesClient client) throws Exception;
  }

  private Checks() {}

  public static void main(String[] args) throws Exception {
    CHECKS.put("an informer sees every addition, change and deletion in order, though its connection is cut", Checks::informerInOrder);
    CHECKS.put("an informer whose version is too old lists again", Checks::informerExpired);
    CHECKS.put("an edit begins anew where somebody else was first, an update of an old version is a conflict", Checks::conflicts);
    CHECKS.put("lists come in pages that hold together", Checks::pages);
    CHECKS.put("patches: merge, strategic, JSON, and server-side apply with its conflicts", Checks::patches);
    CHECKS.put("exec: output, input, exit status", Checks::execs);
    CHECKS.put("logs, followed until the pod goes", Checks::logs);
    CHECKS.put("a forwarded port reaches the container that names it", Checks::forwards);
    CHECKS.put("of two candidates one leads, and the other once that one has let go", Checks::elections);
    boolean failed = false;
    try (KubernetesClient client = client("KUBECONFIG")) {
      for (Map.Entry<String, Check> check : CHECKS.entrySet()) {
        try {
          check.getValue().run(client);
          System.out.println("ok " + check.getKey());
        } catch (Throwable why) {
          failed = true;
          why.printStackTrace();
          System.out.println("not ok " + check.getKey() + " -- " + why.toString().replaceAll("\\s+", " "));
        }
        line("open");
      }
    }
    System.out.flush();
    Runtime.getRuntime().halt(failed ? 1 : 0);
  }

  private static KubernetesClient client(String variable) throws Exception {
    Config config = Config.fromKubeconfig(new File(System.getenv(variable)));
    config.setNamespace(NAMESPACE);
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private static void line(String deed) throws Exception {
    HttpURLConnection connection = (HttpURLConnection) URI.create(System.getenv("LINE") + "/" + deed).toURL().openConnection();
    connection.setRequestMethod("POST");
    equal(connection.getResponseCode(), 204);
  }

  private static void eventually(String what, Callable<Boolean> holds) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!holds.call()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("never came true: " + what);
      }
      Thread.sleep(20);
    }
  }

  private static void equal(Object found, Object expected) {
    if (!expected.equals(found)) {
      throw new AssertionError(found + " is not " + expected);
    }
  }

  private static KubernetesClientException refused(int code, Runnable attempt) {
    try {
      attempt.run();
    } catch (KubernetesClientException refusal) {
      equal(refusal.getCode(), code);
      return refusal;
    }
    throw new AssertionError("it was not refused with " + code);
  }

  private static ConfigMap configMap(String name, String label, String key, Object value) {
    return new ConfigMapBuilder()
        .withNewMetadata().withName(name).addToLabels(label, "yes").endMetadata()
        .addToData(key, String.valueOf(value))
        .build();
  }

  private static Pod runningPod(KubernetesClient client, String name) throws Exception {
    client.pods().resource(new PodBuilder()
        .withNewMetadata().withName(name).endMetadata()
        .withNewSpec()
        .addNewContainer().withName("app").withImage("registry.example/app:1").addNewPort().withContainerPort(8080).endPort().endContainer()
        .endSpec()
        .build()).create();
    return client.pods().withName(name).waitUntilCondition(
        pod -> pod != null && pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase()), 60, TimeUnit.SECONDS);
  }

  /** What an informer says of the ConfigMaps with a label. */
  private static SharedIndexInformer<ConfigMap> informer(KubernetesClient client, String label, List<String> told) {
    return client.configMaps().withLabel(label).inform(new ResourceEventHandler<>() {
      @Override
      public void onAdd(ConfigMap map) {
        told.add(map.getMetadata().getName() + " add " + map.getData().get("n"));
      }

      @Override
      public void onUpdate(ConfigMap before, ConfigMap map) {
        if (!before.getMetadata().getResourceVersion().equals(map.getMetadata().getResourceVersion())) {
          told.add(map.getMetadata().getName() + " update " + map.getData().get("n"));
        }
      }

      @Override
      public void onDelete(ConfigMap map, boolean isStateUnknown) {
        told.add(map.getMetadata().getName() + " delete " + map.getData().get("n"));
      }
    });
  }

  private static void informerInOrder(KubernetesClient client) throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    List<String> names = Arrays.asList("a", "b", "c");
    try (KubernetesClient far = client("LINE_KUBECONFIG"); SharedIndexInformer<ConfigMap> informer = informer(far, "in-order", told)) {
      for (int n = 0; n <= 30; n++) {
        if (n == 15) {
          line("cut");
        }
        for (String name : names) {
          ConfigMap map = configMap(name, "in-order", "n", n);
          if (n == 0) {
            client.configMaps().resource(map).create();
          } else {
            client.configMaps().resource(map).update();
          }
        }
      }
      for (String name : names) {
        client.configMaps().withName(name).delete();
      }
      eventually("the last deletion is seen", () -> told.contains("c delete 30"));
    }
    for (String name : names) {
      List<String> expected = new ArrayList<>(List.of(name + " add 0"));
      for (int n = 1; n <= 30; n++) {
        expected.add(name + " update " + n);
      }
      expected.add(name + " delete 30");
      equal(told.stream().filter(text -> text.startsWith(name + " ")).collect(Collectors.toList()), expected);
    }
  }

  private static void informerExpired(KubernetesClient client) throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    client.configMaps().resource(configMap("kept", "expired", "n", 0)).create();
    client.configMaps().resource(configMap("gone", "expired", "n", 0)).create();
    try (KubernetesClient far = client("LINE_KUBECONFIG"); SharedIndexInformer<ConfigMap> informer = informer(far, "expired", told)) {
      eventually("both are listed", () -> told.size() == 2);
      line("close");
      client.configMaps().withName("gone").delete();
      for (int n = 1; n <= 450; n++) {
        client.configMaps().resource(configMap("kept", "expired", "n", n)).update();
      }
      line("open");
      eventually("the cache is as the cluster is", () -> told.contains("kept update 450") && told.contains("gone delete 0"));
      equal(told.size(), 4);
      equal(informer.getStore().list().size(), 1);
      client.configMaps().resource(configMap("kept", "expired", "n", 451)).update();
      eventually("it goes on", () -> told.contains("kept update 451"));
    }
  }

  private static void conflicts(KubernetesClient client) {
    ConfigMap first = client.configMaps().resource(configMap("raced", "raced", "n", 0)).create();
    client.configMaps().withName("raced").edit(map -> new ConfigMapBuilder(map).addToData("n", "1").build());
    refused(409, () -> client.configMaps().resource(new ConfigMapBuilder(first).addToData("n", "2").build()).update());
    refused(409, () -> client.configMaps().resource(configMap("raced", "raced", "n", 3)).create());
    refused(409, () -> client.configMaps().resource(first).lockResourceVersion(first.getMetadata().getResourceVersion()).delete());
    equal(client.configMaps().withName("raced").get().getData().get("n"), "1");
  }

  private static void pages(KubernetesClient client) {
    for (int n = 10; n < 35; n++) {
      client.configMaps().resource(configMap("page-" + n, "page", "n", n)).create();
    }
    List<String> names = new ArrayList<>();
    Set<String> versions = new HashSet<>();
    String more = null;
    do {
      ConfigMapList page = client.configMaps().withLabel("page").list(new ListOptionsBuilder().withLimit(10L).withContinue(more).build());
      page.getItems().forEach(map -> names.add(map.getMetadata().getName()));
      versions.add(page.getMetadata().getResourceVersion());
      more = page.getMetadata().getContinue();
      client.configMaps().resource(configMap("page-1" + names.size() + "-between", "page", "n", 0)).create();
    } while (more != null && !more.isEmpty());
    equal(names.size(), 25);
    equal(List.of(names.get(0), names.get(24)), List.of("page-10", "page-34"));
    equal(versions.size(), 1);
  }

  private static void patches(KubernetesClient client) {
    client.configMaps().resource(configMap("patched", "patched", "a", 1)).create();
    Map<PatchType, String> bodies = new LinkedHashMap<>();
    bodies.put(PatchType.JSON_MERGE, "{\"data\":{\"merge\":\"yes\"}}");
    bodies.put(PatchType.STRATEGIC_MERGE, "{\"data\":{\"strategic\":\"yes\",\"a\":null}}");
    bodies.put(PatchType.JSON, "[{\"op\":\"add\",\"path\":\"/data/json\",\"value\":\"yes\"}]");
    bodies.forEach((type, body) -> client.configMaps().withName("patched").patch(PatchContext.of(type), body));
    equal(client.configMaps().withName("patched").get().getData(), new TreeMap<>(Map.of("merge", "yes", "strategic", "yes", "json", "yes")));
    client.configMaps().resource(configMap("applied", "applied", "x", 1)).fieldManager("first").serverSideApply();
    ConfigMap other = configMap("applied", "applied", "x", 2);
    KubernetesClientException conflict =
        refused(409, () -> client.configMaps().resource(other).fieldManager("second").serverSideApply());
    equal(conflict.getStatus().getDetails().getCauses().get(0).getField(), ".data.x");
    equal(client.configMaps().resource(other).fieldManager("second").forceConflicts().serverSideApply().getData().get("x"), "2");
  }

  private static void execs(KubernetesClient client) throws Exception {
    runningPod(client, "executed");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (ExecWatch exec = client.pods().withName("executed").writingOutput(out).exec("echo", "hi there")) {
      equal(exec.exitCode().get(30, TimeUnit.SECONDS), 0);
      equal(out.toString(StandardCharsets.UTF_8), "hi there\n");
    }
    try (ExecWatch exec = client.pods().withName("executed").redirectingOutput().exec("sh", "-c", "exit 3")) {
      equal(exec.exitCode().get(30, TimeUnit.SECONDS), 3);
    }
    ByteArrayOutputStream typed = new ByteArrayOutputStream();
    try (ExecWatch exec = client.pods().withName("executed").redirectingInput().writingOutput(typed).exec("sh")) {
      exec.getInput().write("echo typed; exit 4\n".getBytes(StandardCharsets.UTF_8));
      exec.getInput().flush();
      equal(exec.exitCode().get(30, TimeUnit.SECONDS), 4);
      equal(typed.toString(StandardCharsets.UTF_8), "typed\n");
    }
  }

  private static void logs(KubernetesClient client) throws Exception {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (LogWatch watch = client.pods().withName("executed").watchLog(text)) {
      eventually("the log begins", () -> text.size() > 0);
      client.pods().withName("executed").withGracePeriod(1).delete();
      watch.onClose().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }
  }

  private static void forwards(KubernetesClient client) throws Exception {
    runningPod(client, "forwarded");
    try (LocalPortForward forward = client.pods().withName("forwarded").portForward(8080)) {
      HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + forward.getLocalPort() + "/").toURL().openConnection();
      String body = new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      equal(body.contains("its port 8080"), true);
    }
  }

  private static CompletableFuture<?> candidate(KubernetesClient client, String name, CountDownLatch leads) {
    return client.leaderElector().withConfig(new LeaderElectionConfigBuilder()
        .withName("election")
        .withLock(new LeaseLock(NAMESPACE, "elected", name))
        .withLeaseDuration(Duration.ofSeconds(4))
        .withRenewDeadline(Duration.ofSeconds(3))
        .withRetryPeriod(Duration.ofMillis(500))
        .withReleaseOnCancel(true)
        .withLeaderCallbacks(new LeaderCallbacks(leads::countDown, () -> {}, leader -> {}))
        .build()).build().start();
  }

  private static void elections(KubernetesClient client) throws Exception {
    CountDownLatch firstLeads = new CountDownLatch(1);
    CountDownLatch secondLeads = new CountDownLatch(1);
    CompletableFuture<?> first = candidate(client, "first", firstLeads);
    equal(firstLeads.await(30, TimeUnit.SECONDS), true);
    CompletableFuture<?> second = candidate(client, "second", secondLeads);
    try {
      equal(secondLeads.await(5, TimeUnit.SECONDS), false);
      first.cancel(true);
      equal(secondLeads.await(30, TimeUnit.SECONDS), true);
      equal(client.leases().withName("elected").get().getSpec().getHolderIdentity(), "second");
    } finally {
      second.cancel(true);
    }
  }
}
