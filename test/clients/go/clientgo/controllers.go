package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"kubereel.test/clients/checking"
)

// elections has two candidates: the second leads once the first has let go, and a third once the second is gone without a word.
func elections(ctx context.Context) error {
	client := typed("KUBECONFIG")
	candidate := func(ctx context.Context, name string, releases bool) <-chan struct{} {
		leads := make(chan struct{})
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "elected", Namespace: namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: name},
		}
		go leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 500 * time.Millisecond, ReleaseOnCancel: releases,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { close(leads) }, OnStoppedLeading: func() {}},
		})
		return leads
	}
	holder := func() string {
		lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "elected", metav1.GetOptions{})
		if err != nil || lease.Spec.HolderIdentity == nil {
			return ""
		}
		return *lease.Spec.HolderIdentity
	}
	await := func(name string, leads <-chan struct{}) error {
		select {
		case <-leads:
			return checking.Equal(holder(), name)
		case <-time.After(30 * time.Second):
			return fmt.Errorf("%s never leads", name)
		}
	}
	first, stopFirst := context.WithCancel(ctx)
	second, stopSecond := context.WithCancel(ctx)
	third, stopThird := context.WithCancel(ctx)
	defer stopFirst()
	defer stopSecond()
	defer stopThird()
	if err := await("first", candidate(first, "first", true)); err != nil {
		return err
	}
	secondLeads := candidate(second, "second", false)
	select {
	case <-secondLeads:
		return fmt.Errorf("both lead")
	case <-time.After(4 * time.Second):
	}
	stopFirst()
	if err := await("second", secondLeads); err != nil {
		return err
	}
	stopSecond()
	return await("third", candidate(third, "third", false))
}

// events are recorded as controllers do: the same again is counted.
func events(ctx context.Context) error {
	client := typed("KUBECONFIG")
	broadcaster := record.NewBroadcaster()
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: client.CoreV1().Events(namespace)})
	about, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, configMap("subject", "subject", 0), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "tester"})
	for range 3 {
		recorder.Event(about, corev1.EventTypeWarning, "Tried", "tried again")
	}
	return checking.Eventually(ctx, "one event that is counted thrice", func() bool {
		found, err := client.CoreV1().Events(namespace).Search(scheme.Scheme, about)
		return err == nil && len(found.Items) == 1 && found.Items[0].Count == 3
	})
}
