// Package main uses controller-runtime and client-go as operators do: typed create, apply, watch with initial events,
// status update and leader election, against the server of $KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const namespace = "controller-runtime"

func main() {
	ctrl.SetLogger(logr.Discard())
	ctx, cancel := context.WithTimeout(ctrl.SetupSignalHandler(), 60*time.Second)
	defer cancel()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "controller-runtime:", err)
		os.Exit(1)
	}
	fmt.Println("controller-runtime: create, apply, watch, status and leader election hold")
}

func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "conformance",
		LeaderElectionNamespace: "default",
	})
	if err != nil {
		return err
	}
	c := manager.GetClient()
	reconciler := &reconciler{Client: c}
	if err := ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&appsv1.ReplicaSet{}).Complete(reconciler); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	select {
	case <-manager.Elected():
	case err := <-ended:
		return fmt.Errorf("never elected: %w", err)
	}
	if err := objects(ctx, c, manager.GetAPIReader()); err != nil {
		return err
	}
	return watched(ctx, kubernetes.NewForConfigOrDie(config))
}

// reconciler writes a condition into the status of Deployments, as a status update that may conflict.
type reconciler struct{ client.Client }

const marked appsv1.DeploymentConditionType = "conformance.fairlead.dev/Seen"

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var deployment appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &deployment); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == marked {
			return ctrl.Result{}, nil
		}
	}
	if deployment.Labels["marked"] == "" {
		return ctrl.Result{}, nil
	}
	now := metav1.Now()
	deployment.Status.Conditions = append(deployment.Status.Conditions, appsv1.DeploymentCondition{
		Type: marked, Status: corev1.ConditionTrue, LastUpdateTime: now, LastTransitionTime: now, Reason: "Seen",
	})
	return ctrl.Result{}, r.Status().Update(ctx, &deployment)
}

func objects(ctx context.Context, c client.Client, direct client.Reader) error {
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	labels := map[string]string{"app": "web"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web", Labels: map[string]string{"marked": "yes"}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "registry.example/c:1"}}},
			},
		},
	}
	if err := c.Create(ctx, deployment); err != nil {
		return err
	}
	again := deployment.DeepCopy()
	again.ResourceVersion = ""
	if err := c.Create(ctx, again); !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("a second create: %v", err)
	}
	if err := until(ctx, "the controller's condition", func() (bool, error) {
		var live appsv1.Deployment
		if err := direct.Get(ctx, client.ObjectKeyFromObject(deployment), &live); err != nil {
			return false, err
		}
		for _, condition := range live.Status.Conditions {
			if condition.Type == marked {
				return true, nil
			}
		}
		return false, nil
	}); err != nil {
		return err
	}
	apply := func(value, manager string) error {
		config := corev1ac.ConfigMap("applied", namespace).WithData(map[string]string{"a": value})
		return c.Apply(ctx, config, client.FieldOwner(manager))
	}
	if err := apply("1", "first"); err != nil {
		return err
	}
	if err := apply("2", "second"); !apierrors.IsConflict(err) {
		return fmt.Errorf("an apply of another's field: %v", err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"b":"2"}}`))
	configMap := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "applied"}}
	if err := c.Patch(ctx, configMap, patch); err != nil {
		return err
	}
	if configMap.Data["a"] != "1" || configMap.Data["b"] != "2" {
		return fmt.Errorf("after a merge patch: %v", configMap.Data)
	}
	stale := configMap.DeepCopy()
	configMap.Data["c"] = "3"
	if err := c.Update(ctx, configMap); err != nil {
		return err
	}
	if err := c.Update(ctx, stale); !apierrors.IsConflict(err) {
		return fmt.Errorf("a stale update: %v", err)
	}
	return c.Delete(ctx, configMap, client.Preconditions{UID: &configMap.UID})
}

// watched follows ConfigMaps by a watch that sends what is there first, as informers do.
func watched(ctx context.Context, clients kubernetes.Interface) error {
	maps := clients.CoreV1().ConfigMaps(namespace)
	one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one", Labels: map[string]string{"watched": "yes"}}}
	if _, err := maps.Create(ctx, one, metav1.CreateOptions{}); err != nil {
		return err
	}
	initial := true
	events, err := maps.Watch(ctx, metav1.ListOptions{
		LabelSelector:        "watched",
		SendInitialEvents:    &initial,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return err
	}
	defer events.Stop()
	wanted := []string{"ADDED one", "BOOKMARK", "MODIFIED one", "DELETED one"}
	for _, want := range wanted {
		event, open := <-events.ResultChan()
		if !open {
			return fmt.Errorf("the watch ended before %s", want)
		}
		object, ok := event.Object.(*corev1.ConfigMap)
		if !ok {
			return fmt.Errorf("%s with a %T", event.Type, event.Object)
		}
		got := string(event.Type)
		if object.Name != "" {
			got += " " + object.Name
		}
		if got != want {
			return fmt.Errorf("%s instead of %s", got, want)
		}
		switch want {
		case "BOOKMARK":
			if object.Annotations[metav1.InitialEventsAnnotationKey] != "true" {
				return fmt.Errorf("a bookmark without the end of initial events")
			}
			patch := []byte(`{"data":{"a":"1"}}`)
			if _, err := maps.Patch(ctx, "one", types.StrategicMergePatchType, patch, metav1.PatchOptions{}); err != nil {
				return err
			}
		case "MODIFIED one":
			if err := maps.Delete(ctx, "one", metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	}
	return clients.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{})
}

func until(ctx context.Context, what string, holds func() (bool, error)) error {
	for {
		ok, err := holds()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
