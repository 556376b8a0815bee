package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// order places an order and returns the status of the response, or 0 without one.
func order(t *testing.T, shop *Sandbox, key string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, shop.URL+"/store/orders", bytes.NewBufferString(`{"petId":23}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-API-Key", shop.APIKey)
	request.Header.Set("Idempotency-Key", key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFaultsHappenAsOftenAsTheyWereSet(t *testing.T) {
	t.Parallel()
	shop := Start(t, Options{})
	shop.Fail(Fault{Kind: "unavailable", Operation: "placeOrder", Times: 1})
	equal(t, []int{order(t, shop, "one"), order(t, shop, "one")}, []int{503, 201})
	shop.Fail(Fault{Kind: "insufficient_stock", Body: map[string]any{"petId": 23}})
	var set struct{ Rules []Fault }
	shop.Control("GET", "faults", nil, &set)
	equal(t, set.Rules, []Fault{{Kind: "insufficient_stock", Body: map[string]any{"petId": 23.0}}})
	equal(t, order(t, shop, "two"), 409)
	shop.Heal()
	equal(t, order(t, shop, "three"), 201)
	equal(t, shop.Requests()[0].OperationID, "placeOrder")
	equal(t, len(shop.Requests()), 4)
}

func TestTheReportJudgesWhatWasSent(t *testing.T) {
	t.Parallel()
	shop := Start(t, Options{})
	order(t, shop, "one")
	equal(t, shop.Report().Failed, []string{})
	response, err := http.Get(shop.URL + "/categories?api_key=" + shop.APIKey)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	report := shop.Report()
	equal(t, report.Failed, []string{"credentials"})
	for _, rule := range report.Rules {
		if rule.Rule == "credentials" {
			equal(t, []any{rule.Level, rule.Verdict, len(rule.Violations)}, []any{"must", "failed", 1})
		}
	}
}

func TestTheClockMovesAndStandsStill(t *testing.T) {
	t.Parallel()
	shop := Start(t, Options{Data: "empty"})
	at := shop.Freeze(true)
	equal(t, shop.Advance(36*time.Hour), at.Add(36*time.Hour))
}

func TestASandboxEndsWithItsTestAndItsSeedMakesItAgain(t *testing.T) {
	var keys, urls []string
	for range []int{1, 2} {
		t.Run("inner", func(t *testing.T) {
			shop := Start(t, Options{Seed: "my tests"})
			order(t, shop, "one")
			shop.Reset()
			equal(t, len(shop.Requests()), 0)
			keys, urls = append(keys, shop.APIKey), append(urls, shop.URL)
		})
	}
	equal(t, keys[0], keys[1])
	for _, url := range urls {
		if err := send("GET", url+"/_sandbox/report", nil, nil); err == nil || !strings.HasPrefix(err.Error(), "404") {
			t.Errorf("the sandbox is still there: %v", err)
		}
	}
}

// In a separate process, prints the URL of the host or why there is none.
func TestMain(m *testing.M) {
	if os.Getenv("FIND_HOST") != "" {
		fmt.Println(FindHost())
		return
	}
	os.Exit(m.Run())
}

func findHostAlone(t *testing.T, settings ...string) string {
	t.Helper()
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), append(settings, "FIND_HOST=1")...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return string(output)
}

func TestTheHostEndsWithTheProcessThatStartedIt(t *testing.T) {
	url := strings.Fields(findHostAlone(t))[0]
	for until := time.Now().Add(30 * time.Second); send("GET", url, nil, nil) == nil; {
		if time.Now().After(until) {
			t.Fatalf("%s still responds", url)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	folder := t.TempDir()
	said := findHostAlone(t, "PATH="+folder)
	if !strings.Contains(said, "neither `petstore` nor `npx`") || !strings.Contains(said, "PETSTORE_SANDBOX_URL") {
		t.Error(said)
	}
	broken := "#!/bin/sh\necho broken >&2\nexit 3\n"
	if err := os.WriteFile(filepath.Join(folder, "petstore"), []byte(broken), 0o755); err != nil {
		t.Fatal(err)
	}
	if said := findHostAlone(t, "PATH="+folder); !strings.Contains(said, "exit status 3: broken") {
		t.Error(said)
	}
}
