package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/client-go/util/exec"

	"kubereel.test/clients/checking"
)

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.example/app:1", Ports: []corev1.ContainerPort{{ContainerPort: 8080}}}}}
}

// running awaits a pod.
func running(ctx context.Context, client kubernetes.Interface, name string) error {
	return checking.Eventually(ctx, name+" runs", func() bool {
		pod, err := client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		return err == nil && pod.Status.Phase == corev1.PodRunning
	})
}

func startPod(ctx context.Context, name string) (*kubernetes.Clientset, error) {
	client := typed("KUBECONFIG")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec()}
	if _, err := client.CoreV1().Pods(namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	return client, running(ctx, client, name)
}

// execs runs commands over WebSocket and over SPDY.
func execs(ctx context.Context) error {
	client, err := startPod(ctx, "executed")
	if err != nil {
		return err
	}
	config := configOf("KUBECONFIG")
	request := func(command []string, isInput bool) *rest.Request {
		return client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name("executed").SubResource("exec").
			VersionedParams(&corev1.PodExecOptions{Command: command, Stdin: isInput, Stdout: true, Stderr: true}, scheme.ParameterCodec)
	}
	executors := map[string]func(command []string, isInput bool) (remotecommand.Executor, error){
		"WebSocket": func(command []string, isInput bool) (remotecommand.Executor, error) {
			return remotecommand.NewWebSocketExecutor(config, "GET", request(command, isInput).URL().String())
		},
		"SPDY": func(command []string, isInput bool) (remotecommand.Executor, error) {
			return remotecommand.NewSPDYExecutor(config, "POST", request(command, isInput).URL())
		},
	}
	for kind, executor := range executors {
		run := func(input io.Reader, command ...string) (string, error) {
			made, err := executor(command, input != nil)
			if err != nil {
				return "", err
			}
			var out, errs bytes.Buffer
			err = made.StreamWithContext(ctx, remotecommand.StreamOptions{Stdin: input, Stdout: &out, Stderr: &errs})
			return out.String(), err
		}
		said, err := run(nil, "echo", "hi there")
		if err != nil || said != "hi there\n" {
			return fmt.Errorf("%s: %q, %v", kind, said, err)
		}
		said, err = run(strings.NewReader("through cat"), "cat")
		if err != nil || said != "through cat" {
			return fmt.Errorf("%s: %q, %v", kind, said, err)
		}
		said, err = run(nil, "sh", "-c", "echo out; exit 3")
		var ended exec.CodeExitError
		if !errors.As(err, &ended) || ended.Code != 3 || said != "out\n" {
			return fmt.Errorf("%s: %q, %v", kind, said, err)
		}
	}
	return nil
}

func logs(ctx context.Context) error {
	client, err := startPod(ctx, "logged")
	if err != nil {
		return err
	}
	stream, err := client.CoreV1().Pods(namespace).GetLogs("logged", &corev1.PodLogOptions{Follow: true}).Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	first := make([]byte, 1)
	if _, err := io.ReadFull(stream, first); err != nil {
		return fmt.Errorf("the log begins with %w", err)
	}
	seconds := int64(1)
	if err := client.CoreV1().Pods(namespace).Delete(ctx, "logged", metav1.DeleteOptions{GracePeriodSeconds: &seconds}); err != nil {
		return err
	}
	_, err = io.ReadAll(stream)
	return err
}

// forwardsPorts over SPDY, and through a WebSocket.
func forwardsPorts(ctx context.Context) error {
	client, err := startPod(ctx, "forwarded")
	if err != nil {
		return err
	}
	config := configOf("KUBECONFIG")
	url := client.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name("forwarded").SubResource("portforward").URL()
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		return err
	}
	plain := spdy.NewDialer(upgrader, &http.Client{Transport: transport}, "POST", url)
	tunnel, err := portforward.NewSPDYOverWebsocketDialer(url, config)
	if err != nil {
		return err
	}
	for _, dialer := range []httpstream.Dialer{plain, tunnel} {
		stop, ready := make(chan struct{}), make(chan struct{})
		forwarder, err := portforward.NewOnAddresses(dialer, []string{"127.0.0.1"}, []string{"0:8080"}, stop, ready, io.Discard, io.Discard)
		if err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- forwarder.ForwardPorts() }()
		select {
		case <-ready:
		case err := <-ended:
			return err
		case <-time.After(time.Minute):
			return errors.New("the port is never ready")
		}
		ports, err := forwarder.GetPorts()
		if err != nil {
			return err
		}
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		for range 2 {
			response, err := client.Get(fmt.Sprintf("http://127.0.0.1:%d/", ports[0].Local))
			if err != nil {
				return err
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if err != nil || !strings.Contains(string(body), "its port 8080") {
				return fmt.Errorf("%q, %v", body, err)
			}
		}
		close(stop)
		<-ended
	}
	return nil
}
