import type { StoreSettings } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { hasScope, store } from './session.ts'

const lowStockMaxDefault = 2

/** The settings as last seen, by any screen. */
const seen = signal<StoreSettings | undefined>(undefined)

/** The largest count that is low stock. The default of the service for a key that cannot read the settings. */
export const lowStockMax = (): number => seen.value?.lowStockMax ?? lowStockMaxDefault

/** Remembers settings that a screen has loaded. */
export function rememberSettings(settings: StoreSettings): void {
  if (settings.lowStockMax !== seen.peek()?.lowStockMax) seen.value = settings
}

/** Loads the settings for a screen that needs them, unless one has loaded them. */
export async function ensureSettings(signal: AbortSignal): Promise<void> {
  if (!seen.peek() && hasScope('inventory:read')) rememberSettings(await store().store.settings.get({ signal }))
}
