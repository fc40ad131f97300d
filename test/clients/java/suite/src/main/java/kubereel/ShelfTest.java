package kubereel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.fabric8.kubeapitest.junit.EnableKubeAPIServer;
import io.fabric8.kubeapitest.junit.KubeConfig;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of an author who has an API server for each class, by kube-api-test: real binaries or whatever stands in their folder. */
@EnableKubeAPIServer
class ShelfTest {

  private static final ResourceDefinitionContext SHELVES = new ResourceDefinitionContext.Builder()
      .withGroup("library.example.org").withVersion("v1").withKind("Shelf").withPlural("shelves").withNamespaced(true).build();

  @KubeConfig
  static String kubeConfig;

  static KubernetesClient client;

  @BeforeAll
  static void define() {
    client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(kubeConfig)).build();
    var spec = new JSONSchemaPropsBuilder().withType("object").withRequired("topic")
        .addToProperties("topic", new JSONSchemaPropsBuilder().withType("string").build())
        .addToProperties("readers", new JSONSchemaPropsBuilder().withType("integer").withMaximum(9d)
            .withDefault(new com.fasterxml.jackson.databind.node.IntNode(1)).build())
        .addNewXKubernetesValidation().withRule("self.topic != 'none'").withMessage("there has to be a topic").endXKubernetesValidation()
        .build();
    var status = new JSONSchemaPropsBuilder().withType("object").withXKubernetesPreserveUnknownFields(true).build();
    var definition = new CustomResourceDefinitionBuilder()
        .withNewMetadata().withName("shelves.library.example.org").endMetadata()
        .withNewSpec().withGroup("library.example.org").withScope("Namespaced")
        .withNewNames().withKind("Shelf").withPlural("shelves").withSingular("shelf").endNames()
        .addNewVersion().withName("v1").withServed(true).withStorage(true)
        .withNewSubresources().withNewStatus().endStatus().endSubresources()
        .withNewSchema().withOpenAPIV3Schema(new JSONSchemaPropsBuilder().withType("object")
            .addToProperties("spec", spec).addToProperties("status", status).build()).endSchema()
        .endVersion().endSpec().build();
    client.resource(definition).create();
    client.apiextensions().v1().customResourceDefinitions().withName("shelves.library.example.org")
        .waitUntilCondition(made -> made != null && made.getStatus() != null && made.getStatus().getConditions() != null
            && made.getStatus().getConditions().stream().anyMatch(it -> it.getType().equals("Established") && it.getStatus().equals("True")),
            30, TimeUnit.SECONDS);
  }

  @AfterAll
  static void close() {
    client.close();
  }

  private static GenericKubernetesResource shelf(String name, Map<String, Object> spec) {
    var shelf = new GenericKubernetesResource();
    shelf.setApiVersion("library.example.org/v1");
    shelf.setKind("Shelf");
    shelf.setMetadata(new io.fabric8.kubernetes.api.model.ObjectMetaBuilder().withName(name).withNamespace("default").build());
    shelf.setAdditionalProperty("spec", spec);
    return shelf;
  }

  @Test
  void theSchemaFillsInAndRefuses() {
    var made = client.genericKubernetesResources(SHELVES).resource(shelf("filled", Map.of("topic", "maps"))).create();
    assertEquals(1, made.<Integer>get("spec", "readers"));
    var over = assertThrows(KubernetesClientException.class,
        () -> client.genericKubernetesResources(SHELVES).resource(shelf("over", Map.of("topic", "maps", "readers", 10))).create());
    assertEquals(422, over.getCode());
    assertTrue(over.getMessage().contains("spec.readers in body should be less than or equal to 9"), over.getMessage());
    var none = assertThrows(KubernetesClientException.class,
        () -> client.genericKubernetesResources(SHELVES).resource(shelf("none", Map.of("topic", "none"))).create());
    assertTrue(none.getMessage().contains("there has to be a topic"), none.getMessage());
  }

  @Test
  void theStatusIsWrittenApart() {
    var shelves = client.genericKubernetesResources(SHELVES).inNamespace("default");
    shelves.resource(shelf("counted", Map.of("topic", "maps"))).create();
    var now = shelves.withName("counted").editStatus(it -> {
      it.setAdditionalProperty("status", Map.of("phase", "Ready"));
      return it;
    });
    assertEquals("Ready", now.<String>get("status", "phase"));
    assertEquals(1, now.getMetadata().getGeneration());
  }

  @Test
  void anInformerIsToldOfEverything() throws InterruptedException {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    try (var informer = client.genericKubernetesResources(SHELVES).inNamespace("default").withLabel("told").inform(
        new ResourceEventHandler<GenericKubernetesResource>() {
          @Override
          public void onAdd(GenericKubernetesResource it) {
            told.add("added " + it.getMetadata().getName());
          }

          @Override
          public void onUpdate(GenericKubernetesResource before, GenericKubernetesResource it) {
            told.add("updated " + it.<String>get("spec", "topic"));
          }

          @Override
          public void onDelete(GenericKubernetesResource it, boolean isUnknown) {
            told.add("deleted " + it.getMetadata().getName());
          }
        })) {
      var wanted = shelf("told", Map.of("topic", "a"));
      wanted.getMetadata().setLabels(Map.of("told", "yes"));
      var shelves = client.genericKubernetesResources(SHELVES).inNamespace("default");
      shelves.resource(wanted).create();
      assertEquals("added told", told.poll(30, TimeUnit.SECONDS));
      shelves.withName("told").edit(it -> {
        it.setAdditionalProperty("spec", Map.of("topic", "b"));
        return it;
      });
      assertEquals("updated b", told.poll(30, TimeUnit.SECONDS));
      shelves.withName("told").delete();
      assertEquals("deleted told", told.poll(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void theServerAppliesAndTellsConflicts() {
    var first = new ConfigMapBuilder().withNewMetadata().withName("applied").withNamespace("default").endMetadata().addToData("a", "1").build();
    var mine = new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager("mine").build();
    var theirs = new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager("theirs").build();
    client.resource(first).patch(mine);
    var second = new ConfigMapBuilder(first).addToData("a", "2").build();
    var refused = assertThrows(KubernetesClientException.class, () -> client.resource(second).patch(theirs));
    assertEquals(409, refused.getCode());
    assertTrue(refused.getMessage().contains("conflict with \"mine\": .data.a"), refused.getMessage());
  }

  @Test
  void aUserMayDoWhatItsRolesSay() {
    client.resource(new RoleBuilder().withNewMetadata().withName("reader").withNamespace("default").endMetadata()
        .addNewRule().withApiGroups("library.example.org").withResources("shelves").withVerbs("get", "list").endRule().build()).create();
    client.resource(new RoleBindingBuilder().withNewMetadata().withName("reader").withNamespace("default").endMetadata()
        .withNewRoleRef("rbac.authorization.k8s.io", "Role", "reader")
        .addNewSubject("rbac.authorization.k8s.io", "User", "ann", null).build()).create();
    var ann = new ConfigBuilder(Config.fromKubeconfig(kubeConfig)).withImpersonateUsername("ann").build();
    try (var asAnn = new KubernetesClientBuilder().withConfig(ann).build()) {
      asAnn.genericKubernetesResources(SHELVES).inNamespace("default").list();
      var refused = assertThrows(KubernetesClientException.class,
          () -> asAnn.genericKubernetesResources(SHELVES).resource(shelf("hers", Map.of("topic", "maps"))).create());
      assertEquals(403, refused.getCode());
      assertTrue(refused.getMessage().contains("User \"ann\" cannot create resource \"shelves\" in API group \"library.example.org\""),
          refused.getMessage());
    }
  }

  @Test
  void nothingRunsButTheServer() {
    client.resource(new NamespaceBuilder().withNewMetadata().withName("kept").endMetadata().build()).create();
    var pod = new PodBuilder().withNewMetadata().withName("pending").withNamespace("kept").endMetadata()
        .withNewSpec().addNewContainer().withName("app").withImage("registry.example/app:1").endContainer().endSpec().build();
    var made = client.resource(pod).create();
    assertEquals("Pending", made.getStatus().getPhase());
    assertNull(made.getSpec().getNodeName());
    client.namespaces().withName("kept").delete();
    assertEquals("Terminating", client.namespaces().withName("kept").get().getStatus().getPhase());
  }
}
