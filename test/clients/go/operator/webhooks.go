package operator

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

const labelOfUnit = "kubereel.test/unit"

// Webhooks label each gauge with its unit, and keep gauges from being overfull in litres.
type Webhooks struct{}

// Default labels the gauge.
func (Webhooks) Default(_ context.Context, object runtime.Object) error {
	gauge := object.(*Gauge)
	if gauge.Labels == nil {
		gauge.Labels = map[string]string{}
	}
	gauge.Labels[labelOfUnit] = gauge.Spec.Unit
	return nil
}

// ValidateCreate refuses what is too much.
func (Webhooks) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	gauge := object.(*Gauge)
	if gauge.Spec.Unit == "litres" && gauge.Spec.Level > 50 {
		return nil, fmt.Errorf("%d litres are more than there is room for", gauge.Spec.Level)
	}
	if gauge.Spec.Level == 0 {
		return admission.Warnings{"the gauge is empty"}, nil
	}
	return nil, nil
}

// ValidateUpdate refuses the same.
func (w Webhooks) ValidateUpdate(ctx context.Context, _, object runtime.Object) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, object)
}

// ValidateDelete refuses nothing.
func (Webhooks) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

// SetupWithManager serves them.
func (w Webhooks) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager).For(&Gauge{}).WithDefaulter(w).WithValidator(w).Complete()
}
