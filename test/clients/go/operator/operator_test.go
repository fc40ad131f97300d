package operator

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func gauge(name string, level int) *Gauge {
	return &Gauge{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Spec: GaugeSpec{Level: level}}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func refused(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Fatalf("want a refusal with %q, got %v", text, err)
	}
}

func TestDefaultsOfTheSchemaAndOfTheWebhook(t *testing.T) {
	made := gauge("defaults", 7)
	check(t, admin.Create(context.Background(), made))
	if made.Spec.Unit != "percent" || made.Labels[labelOfUnit] != "percent" || made.Generation != 1 {
		t.Fatalf("got %+v", made)
	}
}

func TestTheSchemaRefuses(t *testing.T) {
	refused(t, admin.Create(context.Background(), gauge("over", 101)), "spec.level in body should be less than or equal to 100")
	low, floor := gauge("low", 3), 5
	low.Spec.Floor = &floor
	refused(t, admin.Create(context.Background(), low), "level is below its floor")
}

func TestTheWebhookRefuses(t *testing.T) {
	many := gauge("many", 60)
	many.Spec.Unit = "litres"
	refused(t, admin.Create(context.Background(), many),
		`admission webhook "validate.gauges.kubereel.test" denied the request: 60 litres are more than there is room for`)
}

func TestTheControllerReconciles(t *testing.T) {
	ctx := context.Background()
	made := gauge("reconciled", 10)
	check(t, admin.Create(ctx, made))
	shows := func(want string) error {
		var page corev1.ConfigMap
		if err := admin.Get(ctx, client.ObjectKeyFromObject(made), &page); err != nil {
			return err
		}
		var now Gauge
		if err := admin.Get(ctx, client.ObjectKeyFromObject(made), &now); err != nil {
			return err
		}
		if page.Data["shown"] != want || now.Status.Shown != want || !metav1.IsControlledBy(&page, &now) {
			return fmt.Errorf("page %v, status %q", page.Data, now.Status.Shown)
		}
		return nil
	}
	check(t, eventually(func() error { return shows("10 percent") }))
	before := client.MergeFrom(made.DeepCopyObject().(*Gauge))
	made.Spec.Level = 20
	check(t, admin.Patch(ctx, made, before))
	check(t, eventually(func() error { return shows("20 percent") }))
}

func TestStatusIsASubresource(t *testing.T) {
	ctx := context.Background()
	made := gauge("status", 1)
	made.Status.Shown = "by its author"
	check(t, admin.Create(ctx, made))
	if made.Status.Shown != "" {
		t.Fatalf("got %+v", made.Status)
	}
}

func TestRolesDecideWhatAUserMayDo(t *testing.T) {
	ctx := context.Background()
	user, err := environment.AddUser(envtest.User{Name: "reader", Groups: []string{"people"}}, &rest.Config{})
	check(t, err)
	reader, err := client.New(user.Config(), client.Options{Scheme: known, Mapper: admin.RESTMapper()})
	check(t, err)
	read := func() error { return reader.List(ctx, &GaugeList{}, client.InNamespace("default")) }
	refused(t, read(), `User "reader" cannot list resource "gauges" in API group "kubereel.test" in the namespace "default"`)
	check(t, admin.Create(ctx, &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: "readers", Namespace: "default"},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{"kubereel.test"}, Resources: []string{"gauges"}, Verbs: []string{"get", "list"}}},
	}))
	check(t, admin.Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "readers", Namespace: "default"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "readers"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "people"}},
	}))
	check(t, eventually(read))
	refused(t, reader.Create(ctx, gauge("forbidden", 1)), "cannot create resource")
}

func TestNobodyButTheAPIServerRuns(t *testing.T) {
	ctx := context.Background()
	var account corev1.ServiceAccount
	err := admin.Get(ctx, client.ObjectKey{Namespace: "default", Name: "default"}, &account)
	if !apierrors.IsNotFound(err) {
		t.Fatalf("want no service account, got %v", err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "idle", Namespace: "default"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "c"}}},
	}
	check(t, admin.Create(ctx, pod))
	if pod.Status.Phase != corev1.PodPending || pod.Spec.NodeName != "" || len(pod.Spec.Volumes) != 0 {
		t.Fatalf("got %+v", pod)
	}
}
