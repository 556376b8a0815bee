// Package sandbox gives each test of an API client a private shop of the Pet Store service, with faults, a clock and a report.
package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"
)

// Options configure a new sandbox. All are optional.
type Options struct {
	// Seed gives the same ids, names and secrets each time. The default is the name of the test.
	Seed string `json:"seed,omitempty"`
	// Data is "sample" or "empty".
	Data string `json:"data,omitempty"`
	// Name is shown on its pages. The default is the name of the test.
	Name            string   `json:"name,omitempty"`
	LifetimeSeconds int      `json:"lifetimeSeconds,omitempty"`
	Redact          []string `json:"redact,omitempty"`
}

// Fault is a rule that makes requests fail. Kind is an error code, "cut", "cut_after", "cut_body", "slow" or "slow_before"; every
// operation fails, each time, unless the other fields say otherwise.
type Fault struct {
	Kind              string            `json:"fault"`
	Operation         string            `json:"operation,omitempty"`
	Method            string            `json:"method,omitempty"`
	Path              string            `json:"path,omitempty"`
	Header            map[string]string `json:"header,omitempty"`
	Body              map[string]any    `json:"body,omitempty"`
	Nth               int               `json:"nth,omitempty"`
	Times             int               `json:"times,omitempty"`
	Rate              float64           `json:"rate,omitempty"`
	LatencyMs         int               `json:"latencyMs,omitempty"`
	RetryAfterSeconds int               `json:"retryAfterSeconds,omitempty"`
	RetryAfterDate    bool              `json:"retryAfterDate,omitempty"`
}

// Request is what the shop received, with its response. Status is 0 if the client received none.
type Request struct {
	ID           int
	Method       string
	Target       string
	OperationID  string
	Headers      map[string]string
	Body         string
	Received     string
	Status       int
	ResponseBody string
}

// Report says how the client behaved. Failed has the names of the rules that it broke.
type Report struct {
	Failed []string
	Rules  []struct {
		Rule, Level, Title, Verdict, Advice string
		Violations                          []struct{ Explanation string }
	}
}

// Sandbox is a private shop with its own data, clock and faults. Its methods fail the test if the host rejects a call.
type Sandbox struct {
	ID, URL, APIKey, Seed string

	t     testing.TB
	host  string
	rules sync.Mutex
}

// Start creates a sandbox that ends with the test.
func Start(t testing.TB, options Options) *Sandbox {
	t.Helper()
	host, err := FindHost()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []*string{&options.Name, &options.Seed} {
		if *text == "" {
			*text = fmt.Sprintf("%.100s", t.Name())
		}
	}
	s := &Sandbox{t: t, host: host}
	s.send(http.MethodPost, host+"/sandboxes", options, s)
	t.Cleanup(func() { s.send(http.MethodDelete, host+"/sandboxes/"+s.ID, nil, nil) })
	return s
}

// Fail adds a rule to the current ones.
func (s *Sandbox) Fail(fault Fault) {
	s.t.Helper()
	s.rules.Lock()
	defer s.rules.Unlock()
	var set struct{ Rules []map[string]any }
	s.Control(http.MethodGet, "faults", nil, &set)
	rules := []any{}
	for _, rule := range set.Rules {
		// Rules that are used up would fill the list.
		if rule["times"] != 0.0 {
			rules = append(rules, rule)
		}
	}
	s.Control(http.MethodPut, "faults", map[string]any{"rules": append(rules, fault)}, nil)
}

// Heal removes all faults.
func (s *Sandbox) Heal() {
	s.t.Helper()
	s.Control(http.MethodPut, "faults", map[string]any{"rules": []any{}}, nil)
}

// Advance moves the clock ahead and returns its time: windows roll, keys expire, webhooks are retried.
func (s *Sandbox) Advance(by time.Duration) time.Time {
	s.t.Helper()
	return s.clock(map[string]any{"advanceSeconds": by.Seconds()})
}

// Freeze stops the clock, or lets it run again, and returns its time.
func (s *Sandbox) Freeze(frozen bool) time.Time {
	s.t.Helper()
	return s.clock(map[string]any{"frozen": frozen})
}

func (s *Sandbox) clock(change any) time.Time {
	s.t.Helper()
	var clock struct{ At time.Time }
	s.Control(http.MethodPut, "clock", change, &clock)
	return clock.At
}

// Requests returns what the shop received, newest first.
func (s *Sandbox) Requests() []Request {
	s.t.Helper()
	var page struct{ Data []Request }
	s.Control(http.MethodGet, "requests", nil, &page)
	return page.Data
}

// Report returns how the client has behaved so far.
func (s *Sandbox) Report() Report {
	s.t.Helper()
	var report Report
	s.Control(http.MethodGet, "report", nil, &report)
	return report
}

// Reset restores the initial state: data, keys, requests, faults and the clock.
func (s *Sandbox) Reset() {
	s.t.Helper()
	s.Control(http.MethodPost, "reset", map[string]any{}, s)
}

// Control makes any other call under /_sandbox, such as Control("POST", "snapshots", Options{}, &snapshot). Body and result may be nil.
func (s *Sandbox) Control(method, path string, body, result any) {
	s.t.Helper()
	s.send(method, s.URL+"/_sandbox/"+path, body, result)
}

func (s *Sandbox) send(method, url string, body, result any) {
	s.t.Helper()
	if err := send(method, url, body, result); err != nil {
		s.t.Fatalf("%s %s: %v", method, url, err)
	}
}

// client follows no redirects: the key is for the host only.
var client = http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func send(method, url string, body, result any) error {
	var data io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		data = bytes.NewReader(text)
	}
	request, err := http.NewRequest(method, url, data)
	if err != nil {
		return err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/json")
	if key := os.Getenv("PETSTORE_SANDBOX_KEY"); key != "" {
		request.Header.Set("X-API-Key", key)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s", response.Status, text)
	}
	if result == nil || len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, result)
}
