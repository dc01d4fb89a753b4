// The contestant of colly: fetch, parse, links, at its best settings. Takes the start and how many requests at a time.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gocolly/colly/v2"
)

func main() {
	start := os.Args[1]
	concurrency, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	var pages, requests atomic.Int64
	collector := colly.NewCollector(colly.Async(true))
	if err := collector.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: concurrency}); err != nil {
		panic(err)
	}
	// As it comes, two connections to a host are kept open and the others made anew.
	collector.WithTransport(&http.Transport{MaxIdleConnsPerHost: concurrency, MaxIdleConns: concurrency})
	collector.OnRequest(func(*colly.Request) { requests.Add(1) })
	collector.OnResponse(func(response *colly.Response) {
		if strings.HasPrefix(response.Headers.Get("Content-Type"), "text/html") {
			pages.Add(1)
		}
	})
	collector.OnHTML("a[href]", func(element *colly.HTMLElement) {
		to := element.Request.AbsoluteURL(element.Attr("href"))
		if hash := strings.IndexByte(to, '#'); hash >= 0 {
			to = to[:hash]
		}
		if strings.HasPrefix(to, start) {
			// An address that was seen before is an error that says so.
			_ = element.Request.Visit(to)
		}
	})
	began := time.Now()
	if err := collector.Visit(start); err != nil {
		panic(err)
	}
	collector.Wait()
	report, _ := json.Marshal(map[string]any{
		"pages":    pages.Load(),
		"requests": requests.Load(),
		"seconds":  time.Since(began).Seconds(),
	})
	fmt.Println(string(report))
}
