import type { StoreSettings, StoreSettingsPatch, Tagged } from '@petstore/sdk'
import { reloadScreens, useLoad } from '../load.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { number } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { closeDialog, openDialog, param } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { rememberSettings } from '../stock-levels.ts'

const dialog = 'low-stock'

/** Shows the count up to which stock is low, and lets staff change it. */
export function LowStock() {
  const settings = useLoad('', async (signal) => {
    const loaded = await store().store.settings.get({ signal })
    rememberSettings(loaded)
    return loaded
  })
  const { data } = settings.value
  if (!data) return null
  const canChange = hasScope('inventory:write')
  return (
    <div class="soft low-stock">
      Running low: {number(data.lowStockMax)} or fewer{' '}
      {canChange && (
        <button type="button" class="quiet small" onClick={() => openDialog(dialog)}>
          Change
        </button>
      )}
      {canChange && param('do') === dialog && <ChangeLowStock settings={data} />}
    </div>
  )
}

const ChangeLowStock = ({ settings }: { settings: Tagged<StoreSettings> }) => (
  <FormDialog<StoreSettingsPatch>
    title="When stock is low"
    schema="StoreSettingsPatch"
    initial={{ ...settings }}
    changesOnly
    submit="Save"
    send={async (changes, { isLeft }) => {
      const saved = await store().store.settings.update(changes, { ifMatch: settings })
      rememberSettings(saved)
      toast({ text: `Low stock is now ${number(saved.lowStockMax)} or fewer.` })
      reloadScreens()
      if (!isLeft()) closeDialog()
    }}
    onClose={closeDialog}
  />
)
