import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { CopyButton, TextBlock } from '../../components/copy-button.tsx'
import { LineList } from '../../components/line-list.tsx'
import { timeOfDay } from '../../lib/format.ts'
import { toggled } from '../../lib/state.ts'
import type { Message, MessageKind } from './use-channel.ts'

const LOOKS: Readonly<Record<MessageKind, string>> = {
  broadcast: 'bg-accent-soft text-accent',
  change: 'bg-warn-soft text-warn',
  presence: 'bg-panel text-ink-soft',
  system: 'text-ink-faint',
}

/** Messages as lines, newest first. Each expands to show its payload. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set())
  return (
    <LineList label="Messages" items={messages.toReversed()} keyOf={({ number }) => number}>
      {(message) => (
        <Line
          message={message}
          isOpen={open.has(message.number)}
          onToggle={() => setOpen(toggled(open, message.number))}
        />
      )}
    </LineList>
  )
}

type LineProps = { message: Message; isOpen: boolean; onToggle: () => void }

function Line({ message: { time, kind, title, payload, isCut }, isOpen, onToggle }: LineProps) {
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={onToggle}
        className="flex h-8 w-full items-center gap-3 px-3 text-left text-[13px] hover:bg-panel focus-visible:outline-offset-[-2px]"
      >
        <ChevronRight aria-hidden className={clsx('size-4 shrink-0 text-ink-faint', isOpen && 'rotate-90')} />
        <span className="shrink-0 text-ink-faint text-xs tabular-nums">{timeOfDay(time)}</span>
        <span className={clsx('w-20 shrink-0 rounded px-1.5 text-center text-xs', LOOKS[kind])}>{kind}</span>
        <span className="max-w-80 shrink-0 truncate font-medium">{title}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-ink-faint text-xs">
          {payload.slice(0, 300).replaceAll(/\s+/g, ' ')}
        </span>
      </button>
      {isOpen ? (
        <div className="flex items-start gap-2 border-t bg-panel pr-2 pl-7">
          <div className="min-w-0 flex-1">
            <p className="break-words px-3 pt-2 text-[13px]">{title}</p>
            <TextBlock label="Payload" text={payload} className="max-h-96" />
            {isCut ? (
              <p className="px-3 pb-2 text-ink-faint text-xs">The rest of the payload was not recorded.</p>
            ) : null}
          </div>
          <CopyButton text={payload} label="Copy the payload" />
        </div>
      ) : null}
    </>
  )
}
