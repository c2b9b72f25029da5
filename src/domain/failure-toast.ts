import { showToast } from '../lib/ui/toast.ts'
import { describeFailure } from './failure.ts'

export function showFailure(error: unknown): void {
  const { title, advice } = describeFailure(error)
  showToast({ title, description: advice, failed: true })
}
