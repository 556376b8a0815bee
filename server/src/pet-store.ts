import { serve } from './serve.ts'
import { petShop } from './shop/index.ts'

/** Runs the pet store in this process until a signal. Returns the exit code. */
export const servePetStore = (env: Record<string, string | undefined>): Promise<0 | 1> => serve(petShop, env)
