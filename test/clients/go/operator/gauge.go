// Package operator is a small operator as its author would write it: a kind of its own, a controller, two webhooks. Its tests use envtest.
package operator

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of the kinds of this operator.
var GroupVersion = schema.GroupVersion{Group: "kubereel.test", Version: "v1"}

// Gauge says how full something is.
type Gauge struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GaugeSpec   `json:"spec"`
	Status GaugeStatus `json:"status,omitempty"`
}

// GaugeSpec is what a user wants shown.
type GaugeSpec struct {
	Level int    `json:"level"`
	Unit  string `json:"unit,omitempty"`
	Floor *int   `json:"floor,omitempty"`
}

// GaugeStatus is what the controller shows.
type GaugeStatus struct {
	Shown string `json:"shown,omitempty"`
}

// GaugeList is a list of them.
type GaugeList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Gauge `json:"items"`
}

// DeepCopyObject copies the gauge whole.
func (g *Gauge) DeepCopyObject() runtime.Object {
	copied := *g
	copied.ObjectMeta = *g.ObjectMeta.DeepCopy()
	if g.Spec.Floor != nil {
		floor := *g.Spec.Floor
		copied.Spec.Floor = &floor
	}
	return &copied
}

// DeepCopyObject copies the list whole.
func (l *GaugeList) DeepCopyObject() runtime.Object {
	copied := GaugeList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopyObject().(*Gauge))
	}
	return &copied
}

// AddToScheme makes the kinds known.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Gauge{}, &GaugeList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
