package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"kubereel.test/clients/checking"
)

const finalizer = "kubereel.test/managed"

// keepSecret keeps a Secret beside each ConfigMap, with its data. A finalizer holds the ConfigMap until the controller has seen that it goes.
func keepSecret(live client.Client) reconcile.Func {
	return func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		var owner corev1.ConfigMap
		if err := live.Get(ctx, request.NamespacedName, &owner); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if !owner.DeletionTimestamp.IsZero() {
			before := client.MergeFrom(owner.DeepCopy())
			controllerutil.RemoveFinalizer(&owner, finalizer)
			return reconcile.Result{}, client.IgnoreNotFound(live.Patch(ctx, &owner, before))
		}
		if controllerutil.AddFinalizer(&owner, finalizer) {
			if err := live.Update(ctx, &owner); err != nil {
				return reconcile.Result{}, err
			}
		}
		secret := corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: owner.Name, Namespace: owner.Namespace}}
		_, err := controllerutil.CreateOrUpdate(ctx, live, &secret, func() error {
			secret.Data = map[string][]byte{"n": []byte(owner.Data["n"])}
			return controllerutil.SetControllerReference(&owner, &secret, live.Scheme())
		})
		return reconcile.Result{}, err
	}
}

// managers runs a manager of controller-runtime with leader election, and a controller in it.
func managers(ctx context.Context) error {
	ctrl.SetLogger(logr.Discard())
	made, err := ctrl.NewManager(configOf("LINE_KUBECONFIG"), ctrl.Options{
		LeaderElection: true, LeaderElectionID: "manager", LeaderElectionNamespace: namespace, LeaderElectionReleaseOnCancel: true,
		Metrics: server.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
	})
	if err != nil {
		return err
	}
	managed := predicate.NewPredicateFuncs(func(object client.Object) bool { return object.GetLabels()["managed"] == "yes" })
	err = ctrl.NewControllerManagedBy(made).For(&corev1.ConfigMap{}, builder.WithPredicates(managed)).Owns(&corev1.Secret{}).Complete(keepSecret(made.GetClient()))
	if err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- made.Start(running) }()

	direct := typed("KUBECONFIG")
	maps, secrets := direct.CoreV1().ConfigMaps(namespace), direct.CoreV1().Secrets(namespace)
	if _, err := maps.Create(ctx, configMap("managed", "managed", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	holds := func(n string) func() bool {
		return func() bool {
			secret, err := secrets.Get(ctx, "managed", metav1.GetOptions{})
			return err == nil && string(secret.Data["n"]) == n && secret.DeletionTimestamp == nil
		}
	}
	if err := checking.Eventually(ctx, "the Secret is made", holds("1")); err != nil {
		return err
	}
	// What is deleted or changed behind its back is put right, over a line that breaks.
	if err := secrets.Delete(ctx, "managed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := checking.Eventually(ctx, "the Secret is made again", holds("1")); err != nil {
		return err
	}
	checking.Line("cut")
	changed, err := maps.Get(ctx, "managed", metav1.GetOptions{})
	if err != nil {
		return err
	}
	changed.Data["n"] = "2"
	if _, err := maps.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := checking.Eventually(ctx, "the Secret follows", holds("2")); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "managed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	err = checking.Eventually(ctx, "both are gone", func() bool {
		_, first := maps.Get(ctx, "managed", metav1.GetOptions{})
		_, second := secrets.Get(ctx, "managed", metav1.GetOptions{})
		return apierrors.IsNotFound(first) && apierrors.IsNotFound(second)
	})
	if err != nil {
		return err
	}
	stop()
	select {
	case err := <-ended:
		return err
	case <-time.After(30 * time.Second):
		return fmt.Errorf("the manager does not end")
	}
}
