package operator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	environment *envtest.Environment
	admin       client.Client
	known       = runtime.NewScheme()
)

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func run(m *testing.M) (int, error) {
	ctrl.SetLogger(logr.Discard())
	_ = scheme.AddToScheme(known)
	_ = AddToScheme(known)
	environment = &envtest.Environment{
		Scheme:                known,
		CRDDirectoryPaths:     []string{"crd"},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{filepath.Join("webhook", "manifests.yaml")}},
	}
	began := time.Now()
	config, err := environment.Start()
	if err != nil {
		return 1, err
	}
	fmt.Printf("environment started in %d ms\n", time.Since(began).Milliseconds())
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		cancel()
		if err := environment.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if admin, err = client.New(config, client.Options{Scheme: known}); err != nil {
		return 1, err
	}
	served := environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:        known,
		Metrics:       server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: served.LocalServingHost, Port: served.LocalServingPort, CertDir: served.LocalServingCertDir}),
	})
	if err != nil {
		return 1, err
	}
	if err := (&Reconciler{manager.GetClient()}).SetupWithManager(manager); err != nil {
		return 1, err
	}
	if err := (Webhooks{}).SetupWithManager(manager); err != nil {
		return 1, err
	}
	go func() {
		if err := manager.Start(ctx); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := eventually(func() error { return manager.GetWebhookServer().StartedChecker()(nil) }); err != nil {
		return 1, err
	}
	return m.Run(), nil
}

// eventually tries until it holds, for half a minute.
func eventually(try func() error) error {
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}
