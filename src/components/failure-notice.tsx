import { describeFailure } from '../lib/failure.ts'
import { Notice } from './notice.tsx'

/** What went wrong with what the form above or below was to do; nothing as long as nothing did. */
export function FailureNotice({ error }: { error: unknown }) {
  if (!error) return null
  const { title, advice } = describeFailure(error)
  return (
    <Notice tone="error" title={title}>
      {advice}
    </Notice>
  )
}
