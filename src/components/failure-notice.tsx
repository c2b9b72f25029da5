import { describeFailure } from '../domain/failure.ts'
import { Notice } from './notice.tsx'

export function FailureNotice({ error }: { error: unknown }) {
  if (!error) return null
  const { title, advice } = describeFailure(error)
  return (
    <Notice tone="error" title={title}>
      {advice}
    </Notice>
  )
}
