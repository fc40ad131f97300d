package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"

	"kubereel.test/clients/checking"
)

// backoff is patient enough for eight writers of one object.
var backoff = wait.Backoff{Steps: 100, Duration: 5 * time.Millisecond, Factor: 1.05, Jitter: 0.5}

func conflicts(ctx context.Context) error {
	client := typed("KUBECONFIG")
	maps := client.CoreV1().ConfigMaps(namespace)
	first, err := maps.Create(ctx, configMap("raced", "raced", 0), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		all.Add(1)
		go func() {
			defer all.Done()
			failed <- retry.RetryOnConflict(backoff, func() error {
				now, err := maps.Get(ctx, "raced", metav1.GetOptions{})
				if err != nil {
					return err
				}
				n, _ := strconv.Atoi(now.Data["n"])
				now.Data["n"] = strconv.Itoa(n + 1)
				_, err = maps.Update(ctx, now, metav1.UpdateOptions{})
				return err
			})
		}()
	}
	all.Wait()
	for range 8 {
		if err := <-failed; err != nil {
			return err
		}
	}
	last, err := maps.Get(ctx, "raced", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := checking.Equal(last.Data["n"], "8"); err != nil {
		return err
	}
	if _, err := maps.Update(ctx, first, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("an old version is answered %v", err)
	}
	pods := client.CoreV1().Pods(namespace)
	pod, err := pods.Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "status"}, Spec: podSpec()}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := running(ctx, client, "status"); err != nil {
		return err
	}
	pod.Status.Message = "late"
	if _, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		return fmt.Errorf("an old status is answered %v", err)
	}
	return nil
}

// pages reads a list in pages while others write: it is as of the first.
func pages(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	for n := 10; n < 35; n++ {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("page-%d", n), "page", n), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	var names []string
	var page int
	list := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		page++
		found, err := maps.List(ctx, options)
		if err == nil {
			_, err = maps.Create(ctx, configMap(fmt.Sprintf("page-1%d-between", page), "page", 0), metav1.CreateOptions{})
		}
		return found, err
	})
	list.PageSize = 10
	err := list.EachListItem(ctx, metav1.ListOptions{LabelSelector: "page"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	})
	if err != nil {
		return err
	}
	if err := checking.Equal(len(names), 25); err != nil {
		return err
	}
	return checking.Equal([]string{names[0], names[24]}, []string{"page-10", "page-34"})
}

func patches(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(ctx, configMap("patched", "patched", 1), metav1.CreateOptions{}); err != nil {
		return err
	}
	for kind, body := range map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"test","path":"/data/n","value":"1"},{"op":"add","path":"/data/json","value":"yes"}]`,
		types.MergePatchType:          `{"data":{"merge":"yes"}}`,
		types.StrategicMergePatchType: `{"data":{"strategic":"yes"}}`,
	} {
		if _, err := maps.Patch(ctx, "patched", kind, []byte(body), metav1.PatchOptions{}); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	now, err := maps.Get(ctx, "patched", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := checking.Equal(now.Data, map[string]string{"json": "yes", "merge": "yes", "n": "1", "strategic": "yes"}); err != nil {
		return err
	}
	_, err = maps.Patch(ctx, "patched", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/n","value":"x"}]`), metav1.PatchOptions{})
	if !apierrors.IsInvalid(err) {
		return fmt.Errorf("a failed test is answered %v", err)
	}
	_, err = maps.Patch(ctx, "patched", types.MergePatchType, []byte(`{"metadata":{"resourceVersion":"1"}}`), metav1.PatchOptions{})
	if !apierrors.IsConflict(err) {
		return fmt.Errorf("a patch of an old version is answered %v", err)
	}
	return nil
}

func applies(ctx context.Context) error {
	maps := typed("KUBECONFIG").CoreV1().ConfigMaps(namespace)
	wanted := func(value string) *coreapply.ConfigMapApplyConfiguration {
		return coreapply.ConfigMap("applied", namespace).WithData(map[string]string{"mine": value})
	}
	if _, err := maps.Apply(ctx, wanted("1"), metav1.ApplyOptions{FieldManager: "first"}); err != nil {
		return err
	}
	_, err := maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "second"})
	if !apierrors.IsConflict(err) || !apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return fmt.Errorf("a field of another is answered %v", err)
	}
	if _, err := maps.Apply(ctx, wanted("2"), metav1.ApplyOptions{FieldManager: "second", Force: true}); err != nil {
		return err
	}
	now, err := maps.Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	// What its owner no longer says goes.
	extracted, err := coreapply.ExtractConfigMap(now, "second")
	if err != nil {
		return err
	}
	if err := checking.Equal(extracted.Data, map[string]string{"mine": "2"}); err != nil {
		return err
	}
	now, err = maps.Apply(ctx, coreapply.ConfigMap("applied", namespace).WithLabels(map[string]string{"left": "yes"}), metav1.ApplyOptions{FieldManager: "second"})
	if err != nil {
		return err
	}
	return checking.Equal(len(now.Data), 0)
}

// anyKind finds a kind by discovery and handles it as a map.
func anyKind(ctx context.Context) error {
	config := configOf("KUBECONFIG")
	_, lists, err := discovery.NewDiscoveryClientForConfigOrDie(config).ServerGroupsAndResources()
	if err != nil {
		return err
	}
	kinds := 0
	for _, list := range lists {
		kinds += len(list.APIResources)
	}
	if kinds < 50 {
		return fmt.Errorf("there are only %d resources", kinds)
	}
	budgets := dynamic.NewForConfigOrDie(config).Resource(policyBudgets).Namespace(namespace)
	var body unstructured.Unstructured
	text := `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"any"},"spec":{"minAvailable":"50%","selector":{"matchLabels":{"a":"b"}}}}`
	if err := json.Unmarshal([]byte(text), &body.Object); err != nil {
		return err
	}
	if _, err := budgets.Create(ctx, &body, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}); err != nil {
		return err
	}
	found, err := budgets.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=any"})
	if err != nil {
		return err
	}
	if err := checking.Equal(len(found.Items), 1); err != nil {
		return err
	}
	if err := budgets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	_, err = budgets.Get(ctx, "any", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("after its deletion it is answered %v", err)
	}
	return nil
}
