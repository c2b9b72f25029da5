import { ArrowUp, Square } from 'lucide-react'
import { useRef, useState } from 'react'
import { IconButton } from '../../components/button.tsx'
import { Form } from '../../components/form.tsx'
import { Textarea } from '../../components/input.tsx'
import { t } from '../../lib/i18n/i18n.ts'
import { useShortcut } from '../../lib/ui/shortcut.ts'

type QuestionFormProps = {
  busy: boolean
  /** @param giveBack Puts the question back into the field. */
  onAsk: (question: string, giveBack: () => void) => void
  onStop: () => void
}

/** Enter submits, Shift+Enter starts a new line. */
export function QuestionForm({ busy, onAsk, onStop }: QuestionFormProps) {
  const [question, setQuestion] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  useShortcut('/', () => field.current?.focus())
  const submit = () => {
    if (busy || question.trim() === '') return
    onAsk(question.trim(), () => setQuestion((typed) => typed || question))
    setQuestion('')
  }
  return (
    <Form onSubmit={submit} className="relative">
      <Textarea
        ref={field}
        aria-label={t('Your question')}
        placeholder={t('What would you like to know?')}
        autoFocus
        rows={2}
        column="questions.question"
        value={question}
        onChange={(event) => setQuestion(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          submit()
        }}
        className="min-h-20 resize-none rounded-xl pe-14 font-serif text-lg"
      />
      {busy ? (
        <IconButton
          icon={Square}
          label={t('Stop')}
          size="icon"
          onClick={onStop}
          className="absolute end-3 bottom-3"
          look="secondary"
        />
      ) : (
        <IconButton
          icon={ArrowUp}
          label={t('Ask')}
          type="submit"
          look="primary"
          size="icon"
          disabled={question.trim() === ''}
          className="absolute end-3 bottom-3"
        />
      )}
    </Form>
  )
}
