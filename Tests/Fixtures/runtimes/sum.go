// The sum of 1 to n, by goroutines that allocate, so that the collector runs as well.
package main

import "C"
import "runtime"

//export runtime_sum
func runtime_sum(n C.longlong) C.longlong {
	const count = 8
	sums := make(chan int64)
	for first := int64(1); first <= count; first++ {
		go func(first int64) {
			var terms []int64
			for term := first; term <= int64(n); term += count {
				terms = append(terms, term)
			}
			var sum int64
			for _, term := range terms {
				sum += term
			}
			sums <- sum
		}(first)
	}
	var total int64
	for i := 0; i < count; i++ {
		total += <-sums
	}
	if n%100 == 0 {
		runtime.GC()
	}
	return C.longlong(total)
}

func main() {}
