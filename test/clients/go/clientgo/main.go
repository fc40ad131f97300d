// Client-go against the API server that KUBECONFIG names: typed informers in protobuf, dynamic ones in JSON, and what a controller is made of.
package main

import (
	"os"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"kubereel.test/clients/checking"
)

const (
	namespace = metav1.NamespaceDefault
	protobuf  = "application/vnd.kubernetes.protobuf"
)

var (
	configMaps    = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	policyBudgets = schema.GroupVersionResource{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}
)

func configOf(variable string) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(variable))
	must(err)
	config.QPS, config.Burst = -1, 0
	return config
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// typed speaks protobuf, as the clients of Kubernetes' own components do.
func typed(variable string) *kubernetes.Clientset {
	config := configOf(variable)
	config.ContentType = protobuf
	config.AcceptContentTypes = protobuf + ",application/json"
	return kubernetes.NewForConfigOrDie(config)
}

func configMap(name, label string, n int) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{label: "yes"}},
		Data:       map[string]string{"n": strconv.Itoa(n)},
	}
}

func main() {
	checking.Play([]checking.Check{
		{Name: "typed, dynamic and metadata informers see everything in order, though their connections are cut", Try: informersInOrder},
		{Name: "informers whose version is too old list again, and tell of what went meanwhile", Try: informersExpired},
		{Name: "an informer that is asked to says everything again", Try: resyncs},
		{Name: "eight writers of one object lose nothing; old versions are conflicts, of a status too", Try: conflicts},
		{Name: "lists come in pages that hold together", Try: pages},
		{Name: "patches of all kinds, with their refusals", Try: patches},
		{Name: "apply: conflicts, force, extraction, and what is no longer said goes", Try: applies},
		{Name: "kinds are found by discovery and handled without their types", Try: anyKind},
		{Name: "exec over WebSocket and SPDY: output, input, exit status", Try: execs},
		{Name: "logs, followed until the pod goes", Try: logs},
		{Name: "a forwarded port reaches its container, over SPDY and through a WebSocket", Try: forwardsPorts},
		{Name: "leaders are elected, let go, and are missed", Try: elections},
		{Name: "events are recorded and counted", Try: events},
		{Name: "controller-runtime: an elected manager keeps what it owns, and lets its owner go", Try: managers},
	})
}
