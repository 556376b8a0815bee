// go-retryablehttp with its own retries: four, of every method.
package main

import (
	"fmt"
	"log"
	"os"
	"regexp"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

var url = os.Getenv("PETSTORE_URL")
var nextLink = regexp.MustCompile(`<([^>]*)>; rel="next"`)

func send(method, target string, body []byte, headers map[string]string) map[string][]string {
	client := retryablehttp.NewClient()
	client.HTTPClient.Timeout = 5 * time.Second
	request, err := retryablehttp.NewRequest(method, target, body)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("X-API-Key", os.Getenv("PETSTORE_API_KEY"))
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode >= 400 {
		log.Fatal(response.Status)
	}
	return response.Header
}

func main() {
	petId := os.Args[2]
	order := []byte(fmt.Sprintf(`{"petId":%s,"quantity":1}`, petId))
	switch os.Args[1] {
	case "read":
		send("GET", url+"/pets/"+petId+"/profile", nil, nil)
	case "pages":
		for next := url + "/pets?limit=20"; next != ""; {
			headers := send("GET", next, nil, nil)
			next = ""
			for _, link := range headers["Link"] {
				if found := nextLink.FindStringSubmatch(link); found != nil {
					next = found[1]
				}
			}
		}
	case "order":
		send("POST", url+"/store/orders", order, nil)
	case "order-with-key":
		send("POST", url+"/store/orders", order, map[string]string{"Idempotency-Key": fmt.Sprintf("order-%d", os.Getpid())})
	case "edit":
		etag := send("GET", url+"/pets/"+petId+"/profile", nil, nil)["Etag"][0]
		send("PATCH", url+"/pets/"+petId, []byte(`{"name":"Max"}`), map[string]string{"If-Match": etag})
	case "wrong":
		send("GET", url+"/pets?limit=0", nil, nil)
	}
}
