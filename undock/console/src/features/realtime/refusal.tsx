import { useQuery } from '@tanstack/react-query'
import { CircleAlert, X } from 'lucide-react'
import { IconButton } from '../../components/button.tsx'
import { Pending } from '../../components/states.tsx'
import { AnswerView } from '../policies/answer-view.tsx'
import { explainQuery, type Question } from '../policies/queries.ts'

type RefusalProps = {
  reason: string
  /** What was refused; null if no policy decides. */
  question: Question | null
  onClose?: () => void
}

/** Shows what Realtime refused, in its own words, and which policies decide it. */
export function Refusal({ reason, question, onClose }: RefusalProps) {
  return (
    <section aria-label="Refused" className="max-h-[60%] shrink-0 overflow-auto border-b bg-danger-soft text-[13px]">
      <div className="flex items-start gap-3 px-4 py-2">
        <CircleAlert aria-hidden className="mt-2 size-4 shrink-0 text-danger" />
        <p role="alert" className="min-w-0 flex-1 break-words py-1.5 font-medium">
          {reason}
        </p>
        {onClose ? <IconButton icon={X} label="Close the refusal" onClick={onClose} /> : null}
      </div>
      {question ? (
        <div className="grid gap-3 border-t bg-page p-4">
          <p className="text-ink-soft">
            {question.action === 'listen'
              ? 'Who may read a row of realtime.messages with this topic may join the private channel.'
              : 'Who may insert a row of realtime.messages with this topic may send to the private channel.'}
          </p>
          <Why question={question} />
        </div>
      ) : null}
    </section>
  )
}

function Why({ question }: { question: Question }) {
  const { data, error, refetch } = useQuery(explainQuery(question))
  return data && !error ? <AnswerView answer={data} /> : <Pending error={error} onRetry={refetch} />
}
