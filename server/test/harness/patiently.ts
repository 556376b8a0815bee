/** Retries a request while the response is 503, each time after its Retry-After. A 503 means that nothing was changed. */
export async function patiently<A extends { status: number; headers: Headers }>(send: () => Promise<A>): Promise<A> {
  for (;;) {
    const response = await send()
    if (response.status !== 503) return response
    await Bun.sleep(Number(response.headers.get('retry-after')) * 1000)
  }
}
