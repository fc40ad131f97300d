package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"

	"kubereel.test/clients/checking"
)

// told is what an informer said, by name.
type told struct {
	sync.Mutex
	lines []string
}

func (t *told) add(format string, values ...any) {
	t.Lock()
	defer t.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, values...))
}

// of gives what was said of one object, without its name.
func (t *told) of(name string) []string {
	t.Lock()
	defer t.Unlock()
	var found []string
	for _, line := range t.lines {
		if rest, is := strings.CutPrefix(line, name+" "); is {
			found = append(found, rest)
		}
	}
	return found
}

func (t *told) has(line string) bool {
	t.Lock()
	defer t.Unlock()
	for _, one := range t.lines {
		if one == line {
			return true
		}
	}
	return false
}

// handler notes what an informer says; n reads the number that an object carries.
func (t *told) handler(n func(object any) (name, number string)) cache.ResourceEventHandler {
	say := func(verb string, object any) {
		if gone, is := object.(cache.DeletedFinalStateUnknown); is {
			verb, object = verb+"-unseen", gone.Obj
		}
		name, number := n(object)
		t.add("%s %s %s", name, verb, number)
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { say("add", object) },
		UpdateFunc: func(before, after any) {
			a, b := before.(metav1.Object), after.(metav1.Object)
			if a.GetResourceVersion() == b.GetResourceVersion() {
				say("resync", after)
				return
			}
			say("update", after)
		},
		DeleteFunc: func(object any) { say("delete", object) },
	}
}

func typedNumber(object any) (string, string) {
	found := object.(*corev1.ConfigMap)
	return found.Name, found.Data["n"]
}

func dynamicNumber(object any) (string, string) {
	found := object.(*unstructured.Unstructured)
	number, _, _ := unstructured.NestedString(found.Object, "data", "n")
	return found.GetName(), number
}

// metadataNumber goes by an annotation: there is nothing else in it.
func metadataNumber(object any) (string, string) {
	found := object.(*metav1.PartialObjectMetadata)
	return found.Name, found.Annotations["n"]
}

type informer struct {
	name  string
	start func(label string, t *told, resync time.Duration, stop <-chan struct{}) cache.SharedIndexInformer
}

func selecting(label string) func(*metav1.ListOptions) {
	return func(options *metav1.ListOptions) { options.LabelSelector = label }
}

var kinds = []informer{
	{"typed", func(label string, t *told, resync time.Duration, stop <-chan struct{}) cache.SharedIndexInformer {
		factory := informers.NewSharedInformerFactoryWithOptions(typed("LINE_KUBECONFIG"), resync, informers.WithNamespace(namespace), informers.WithTweakListOptions(selecting(label)))
		made := factory.Core().V1().ConfigMaps().Informer()
		_, err := made.AddEventHandler(t.handler(typedNumber))
		must(err)
		factory.Start(stop)
		return made
	}},
	{"dynamic", func(label string, t *told, resync time.Duration, stop <-chan struct{}) cache.SharedIndexInformer {
		factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(dynamic.NewForConfigOrDie(configOf("LINE_KUBECONFIG")), resync, namespace, selecting(label))
		made := factory.ForResource(configMaps).Informer()
		_, err := made.AddEventHandler(t.handler(dynamicNumber))
		must(err)
		factory.Start(stop)
		return made
	}},
	{"metadata", func(label string, t *told, resync time.Duration, stop <-chan struct{}) cache.SharedIndexInformer {
		factory := metadatainformer.NewFilteredSharedInformerFactory(metadata.NewForConfigOrDie(configOf("LINE_KUBECONFIG")), resync, namespace, selecting(label))
		made := factory.ForResource(configMaps).Informer()
		_, err := made.AddEventHandler(t.handler(metadataNumber))
		must(err)
		factory.Start(stop)
		return made
	}},
}

func numbered(name, label string, n int) *corev1.ConfigMap {
	made := configMap(name, label, n)
	made.Annotations = map[string]string{"n": strconv.Itoa(n)}
	return made
}

// informersInOrder lets one informer of each kind follow the same objects over a line that is cut.
func informersInOrder(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	stop := make(chan struct{})
	defer close(stop)
	seen := map[string]*told{}
	for _, kind := range kinds {
		seen[kind.name] = &told{}
		made := kind.start("in-order", seen[kind.name], 0, stop)
		if !cache.WaitForCacheSync(ctx.Done(), made.HasSynced) {
			return errors.New("never synced: " + kind.name)
		}
	}
	names := []string{"a", "b", "c"}
	for n := 0; n <= 30; n++ {
		if n%10 == 5 {
			checking.Line("cut")
		}
		for _, name := range names {
			var err error
			if n == 0 {
				_, err = maps.Create(ctx, numbered(name, "in-order", n), metav1.CreateOptions{})
			} else {
				_, err = maps.Update(ctx, numbered(name, "in-order", n), metav1.UpdateOptions{})
			}
			if err != nil {
				return err
			}
		}
	}
	var expected []string
	expected = append(expected, "add 0")
	for n := 1; n <= 30; n++ {
		expected = append(expected, fmt.Sprintf("update %d", n))
	}
	expected = append(expected, "delete 30")
	for _, name := range names {
		if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	for kind, t := range seen {
		for _, name := range names {
			if err := checking.Eventually(ctx, kind+" sees the deletion of "+name, func() bool { return t.has(name + " delete 30") }); err != nil {
				return err
			}
			if err := checking.Equal(t.of(name), expected); err != nil {
				return fmt.Errorf("%s: %s: %w", kind, name, err)
			}
		}
	}
	return nil
}

// informersExpired keeps the informers away until their version has expired: they list again and say what is different.
func informersExpired(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	for _, name := range []string{"kept", "gone"} {
		if _, err := maps.Create(ctx, numbered(name, "expired", 0), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	stop := make(chan struct{})
	defer close(stop)
	seen := map[string]*told{}
	for _, kind := range kinds {
		seen[kind.name] = &told{}
		made := kind.start("expired", seen[kind.name], 0, stop)
		if !cache.WaitForCacheSync(ctx.Done(), made.HasSynced) {
			return errors.New("never synced: " + kind.name)
		}
	}
	checking.Line("close")
	if err := maps.Delete(ctx, "gone", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for n := 1; n <= 450; n++ {
		if _, err := maps.Update(ctx, numbered("kept", "expired", n), metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	checking.Line("open")
	for kind, t := range seen {
		if err := checking.Eventually(ctx, kind+" is in step", func() bool { return t.has("kept update 450") && t.has("gone delete-unseen 0") }); err != nil {
			return fmt.Errorf("%w; it said %v", err, t.lines)
		}
		if err := checking.Equal(t.of("kept"), []string{"add 0", "update 450"}); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	if _, err := maps.Update(ctx, numbered("kept", "expired", 451), metav1.UpdateOptions{}); err != nil {
		return err
	}
	for kind, t := range seen {
		if err := checking.Eventually(ctx, kind+" goes on", func() bool { return t.has("kept update 451") }); err != nil {
			return err
		}
	}
	return nil
}

func resyncs(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(ctx, numbered("synced", "resync", 7), metav1.CreateOptions{}); err != nil {
		return err
	}
	stop, t := make(chan struct{}), &told{}
	defer close(stop)
	kinds[0].start("resync", t, time.Second, stop)
	return checking.Eventually(ctx, "two resyncs", func() bool { return len(t.of("synced")) >= 3 && t.of("synced")[2] == "resync 7" })
}
