// What every program does: the calls of one scenario. A client may fail: what it sent is seen by the proxy.

const [, , setting, scenario] = process.argv
export const isRecommended = setting === 'recommended'
export const url = process.env.JUDGE_URL

/** `change` is for `lost`. The others read two things, one after the other: a single read proves little. */
export async function makeCalls({ change, reads }) {
  for (const call of scenario === 'lost' ? [change] : reads) {
    try {
      await call()
    } catch (error) {
      process.stderr.write(`${error}\n`)
    }
  }
}
