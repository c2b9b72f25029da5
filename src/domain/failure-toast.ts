import { showToast } from '../lib/ui/toast.ts'
import { describeFailure } from './failure.ts'

/** Explains in a toast what went wrong and what to do about it. */
export function showFailure(error: unknown): void {
  const { title, advice } = describeFailure(error)
  showToast({ title, description: advice, failed: true })
}
