package operator

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Reconciler keeps a ConfigMap beside each gauge, and shows its level in its status.
type Reconciler struct {
	client.Client
}

// Reconcile brings one gauge to what it should be.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var gauge Gauge
	if err := r.Get(ctx, request.NamespacedName, &gauge); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	shown := fmt.Sprintf("%d %s", gauge.Spec.Level, gauge.Spec.Unit)
	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: gauge.Name, Namespace: gauge.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"shown": shown}
		return controllerutil.SetControllerReference(&gauge, page, r.Scheme())
	})
	if err != nil || gauge.Status.Shown == shown {
		return ctrl.Result{}, err
	}
	gauge.Status.Shown = shown
	return ctrl.Result{}, r.Status().Update(ctx, &gauge)
}

// SetupWithManager watches gauges and what belongs to them.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&Gauge{}).Owns(&corev1.ConfigMap{}).Complete(r)
}
