// Package checking plays checks one after the other, and tells what came of each as test/clients/outcomes.ts reads it.
package checking

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// Check is a name and what is tried under it.
type Check struct {
	Name string
	Try  func(ctx context.Context) error
}

// Play prints `ok NAME` or `not ok NAME -- why` for each, and ends the process.
func Play(checks []Check) {
	status := 0
	for _, check := range checks {
		if err := tried(check); err != nil {
			status = 1
			fmt.Printf("not ok %s -- %s\n", check.Name, strings.Join(strings.Fields(err.Error()), " "))
		} else {
			fmt.Printf("ok %s\n", check.Name)
		}
		// What the next check needs is there again.
		Line("open")
	}
	os.Exit(status)
}

func tried(check Check) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	defer func() {
		if found := recover(); found != nil {
			err = fmt.Errorf("panic: %v", found)
		}
	}()
	return check.Try(ctx)
}

// Line breaks or mends the line to the API server: "cut", "close", "open".
func Line(deed string) {
	response, err := http.Post(os.Getenv("LINE")+"/"+deed, "text/plain", nil)
	if err != nil {
		panic(err)
	}
	response.Body.Close()
}

// Eventually awaits a condition.
func Eventually(ctx context.Context, what string, holds func() bool) error {
	for !holds() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("never came true: %s", what)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Equal says how two values differ, if they do.
func Equal(found, expected any) error {
	if a, b := fmt.Sprintf("%v", found), fmt.Sprintf("%v", expected); a != b {
		return fmt.Errorf("%s is not %s", a, b)
	}
	return nil
}
