package sandbox

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
)

const howToStart = "Install Node 20 or newer, put the executable `petstore` of a release on the PATH, " +
	"or run `petstore sandbox` elsewhere and set PETSTORE_SANDBOX_URL to the URL that it prints."

var started struct {
	once sync.Once
	url  string
	err  error
	// While this is referenced, the input of the program stays open.
	command *exec.Cmd
}

// FindHost returns the URL of the host: PETSTORE_SANDBOX_URL, or that of a host which this process starts once.
func FindHost() (string, error) {
	if known := os.Getenv("PETSTORE_SANDBOX_URL"); known != "" {
		return strings.TrimRight(known, "/"), nil
	}
	started.once.Do(func() { started.url, started.err = startHost() })
	return started.url, started.err
}

// program returns the executable on the PATH, or the npm package, which npx downloads the first time.
func program() ([]string, error) {
	if path, err := exec.LookPath("petstore"); err == nil {
		return []string{path}, nil
	}
	if path, err := exec.LookPath("npx"); err == nil {
		return []string{path, "--yes", "@petstore/cli@1"}, nil
	}
	return nil, errors.New("there is neither `petstore` nor `npx` on the PATH. " + howToStart)
}

// startHost starts a host that ends when its input does, which is when this process ends, however it ends.
func startHost() (string, error) {
	words, err := program()
	if err != nil {
		return "", err
	}
	words = append(words, "sandbox", "--port", "0", "--json", "--with-parent")
	command := exec.Command(words[0], words[1:]...)
	var messages bytes.Buffer
	command.Stderr = &messages
	if _, err := command.StdinPipe(); err != nil {
		return "", err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := command.Start(); err != nil {
		return "", err
	}
	started.command = command
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if !bytes.HasPrefix(lines.Bytes(), []byte("{")) {
			continue
		}
		var host struct{ URL string }
		err := json.Unmarshal(lines.Bytes(), &host)
		return host.URL, err
	}
	err = command.Wait()
	return "", fmt.Errorf("%s ended: %v: %s\n%s", strings.Join(words, " "), err, strings.TrimSpace(messages.String()), howToStart)
}
