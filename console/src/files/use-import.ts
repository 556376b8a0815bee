import {
  type ColumnFields,
  type ImportCounts,
  type ImportResult,
  type Rejection,
  suggestFields,
} from '@petstore/sdk/pet-files'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { reloadScreens } from '../load.ts'
import { importPets, openPets, type PetFile } from './import-pets.ts'

interface Checked extends ImportResult {
  readonly rejections: readonly Rejection[]
}

interface Done extends ImportCounts {
  /** Everything up to this line is done. */
  readonly line: number
}

const nothing: Done = { line: 0, pets: 0, categories: 0, rejected: 0 }

/** An import, from choosing a file to the end. Every change before the start checks the whole file again. */
export function useImport() {
  const phase = useSignal<'choosing' | 'running' | 'stopped' | 'done'>('choosing')
  const file = useSignal<PetFile | undefined>(undefined)
  const fields = useSignal<ColumnFields>([])
  const createsCategories = useSignal(true)
  /** Categories that the file names and the shop does not have. */
  const missing = useSignal<readonly string[]>([])
  const checked = useSignal<Checked | undefined>(undefined)
  const done = useSignal(nothing)
  const rejections = useSignal<readonly Rejection[]>([])
  const error = useSignal<unknown>(undefined)
  const running = useRef(new AbortController())
  /** The same for every part of an interrupted import, so that no pet is registered twice. */
  const idempotency = useRef('')
  useEffect(() => () => running.current.abort(), [])

  /** Cancels what is running, so that a late response changes nothing. */
  function restart(): AbortSignal {
    running.current.abort()
    running.current = new AbortController()
    error.value = undefined
    return running.current.signal
  }

  async function choose(chosen: File | undefined) {
    const signal = restart()
    file.value = undefined
    checked.value = undefined
    missing.value = []
    createsCategories.value = true
    if (!chosen) return
    try {
      const opened = await openPets(chosen)
      if (signal.aborted) return
      file.value = opened
      fields.value = suggestFields(opened.columns)
    } catch (failure) {
      // It may have been moved meanwhile, or is locked by another program.
      if (!signal.aborted) error.value = failure
      return
    }
    await check()
  }

  /** Checks every line, without changing anything. */
  async function check() {
    if (!file.value) return
    const signal = restart()
    checked.value = undefined
    const found: Rejection[] = []
    try {
      const result = await importPets(file.value, {
        columns: fields.value,
        dryRun: true,
        canCreateCategories: createsCategories.value,
        signal,
        onRejected: (rejection) => found.push(rejection),
      })
      if (signal.aborted) return
      checked.value = { ...result, rejections: found }
      if (createsCategories.value) missing.value = result.newCategories
    } catch (failure) {
      if (!signal.aborted) error.value = failure
    }
  }

  /** Starts, or continues after what is done. */
  async function start() {
    if (!file.value) return
    const signal = restart()
    const { line: afterLine, ...counts } = done.value
    const isInterrupted = phase.value === 'stopped'
    if (!isInterrupted) idempotency.current = `console-${Date.now()}-${Math.random().toString(36).slice(2)}`
    phase.value = 'running'
    const found = [...rejections.value]
    try {
      await importPets(file.value, {
        columns: fields.value,
        canCreateCategories: createsCategories.value,
        idempotency: idempotency.current,
        start: { afterLine, counts, isInterrupted },
        signal,
        onRejected: (rejection) => found.push(rejection),
        onProgress(line, _bytes, current) {
          done.value = { ...current, line }
          rejections.value = [...found]
        },
      })
      phase.value = 'done'
    } catch (failure) {
      if (!signal.aborted) error.value = failure
      phase.value = 'stopped'
    }
    reloadScreens()
  }

  return {
    ...{ phase, file, fields, createsCategories, missing, checked, done, rejections, error },
    ...{ choose, check, start, stop: () => running.current.abort() },
  }
}

export type Import = ReturnType<typeof useImport>
