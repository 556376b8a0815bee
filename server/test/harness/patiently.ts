/** Sends a request again while it is answered 503, each time after as long as the answer says: nothing was done until then. */
export async function patiently<A extends { status: number; headers: Headers }>(send: () => Promise<A>): Promise<A> {
  for (;;) {
    const answer = await send()
    if (answer.status !== 503) return answer
    await Bun.sleep(Number(answer.headers.get('retry-after')) * 1000)
  }
}
