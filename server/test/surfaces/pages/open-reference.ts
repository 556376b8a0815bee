import { afterAll, beforeAll } from 'bun:test'
import type { Locator } from 'playwright-core'
import { inChromium, open, type Watched } from '../../harness/browser.ts'
import { type Service, startService } from '../../harness/service.ts'

interface Reference extends Watched {
  readonly service: Service
  /** The section of an operation. */
  readonly operation: (id: string) => Locator
}

type Define = (name: string, run: (reference: Reference) => Promise<void>) => void

/** Starts the service and defines tests of its reference, on a page that they share if they only read it. */
export function testReference(): { onNewPage: Define; onSharedPage: Define } {
  let service: Service
  let shared: Reference | undefined
  beforeAll(async () => {
    service = await startService({ env: { SAMPLE_DATA: 'true' } })
  })
  afterAll(async () => {
    await shared?.close()
    await service?.stop()
  })

  async function openReference(): Promise<Reference> {
    const opened = await open(`${service.url}/docs`)
    // Fills in all operations at once, as printing does.
    await opened.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return { ...opened, service, operation: (id) => opened.page.locator(`section[aria-labelledby="${id}"]`) }
  }
  return {
    onNewPage: (name, run) =>
      inChromium(name, async () => {
        const reference = await openReference()
        await run(reference)
        await reference.close()
      }),
    onSharedPage: (name, look) =>
      inChromium(name, async () => {
        shared ??= await openReference()
        await look(shared)
      }),
  }
}
