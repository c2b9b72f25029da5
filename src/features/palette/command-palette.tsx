import { Command } from 'cmdk'
import type { LucideIcon } from 'lucide-react'
import * as Radix from 'radix-ui/dialog'
import { useRef, useState } from 'react'
import { useFocusReturn } from '../../components/focus-return.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { matching } from './matching.ts'

export type PaletteAction = { id: string; label: string; hint?: string; icon: LucideIcon; run: () => void }
export type PaletteGroup = { heading: string; actions: readonly PaletteAction[]; isFound?: boolean; isLast?: boolean }

type CommandPaletteProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  words: string
  onWords: (words: string) => void
  groups: readonly PaletteGroup[]
  searches: readonly PaletteAction[]
}

const ITEM =
  'flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-ink-faint'

export function CommandPalette({ open, onOpenChange, words, onWords, groups, searches }: CommandPaletteProps) {
  const focusReturn = useFocusReturn(open)
  const matches = matching(groups, words)
  const first = matches[0]?.actions[0] ?? (words.trim() === '' ? undefined : searches[0])
  // Results arrive later: the first entry stays selected until the person moves.
  const [selected, setSelected] = useState<{ words: string; value: string }>()
  const isMoving = useRef(false)
  const close = (then: () => void) => {
    onOpenChange(false)
    then()
  }
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-appear bg-veil" />
        <Radix.Content
          {...focusReturn}
          aria-describedby={undefined}
          className="fixed top-[12dvh] left-1/2 z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 animate-rise overflow-hidden rounded-xl border border-line bg-surface shadow-lift outline-none"
        >
          <Radix.Title className="sr-only">{t('Find documents, passages, people and commands')}</Radix.Title>
          <Command
            label={t('Find documents, passages, people and commands')}
            loop
            shouldFilter={false}
            value={selected?.words === words ? selected.value : first ? entryValue(first) : ''}
            onValueChange={(value) => isMoving.current && setSelected({ words, value })}
            onKeyDownCapture={({ key }) => {
              isMoving.current = key !== 'Enter' && key.length > 1
            }}
            onPointerMoveCapture={() => {
              isMoving.current = true
            }}
          >
            <Command.Input
              value={words}
              onValueChange={onWords}
              maxLength={300}
              placeholder={t('Find documents, passages, people and commands…')}
              className="h-14 w-full border-line border-b bg-transparent px-5 text-base outline-none placeholder:text-ink-faint"
            />
            <Command.List label={t('Suggestions')} className="max-h-[50dvh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-8 text-center text-ink-soft text-sm">{t('No matches.')}</Command.Empty>
              {matches.map(({ heading, actions }) => (
                <Command.Group
                  key={heading}
                  heading={heading}
                  className="[&_[cmdk-group-heading]]:eyebrow [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1"
                >
                  {actions.map((action) => (
                    <Entry key={action.id} action={action} onChosen={close} />
                  ))}
                </Command.Group>
              ))}
              {words.trim() === ''
                ? null
                : searches.map((action) => <Entry key={action.id} action={action} onChosen={close} />)}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The key for cmdk, which compares trimmed values. */
const entryValue = ({ id, label }: PaletteAction): string => `${label} ${id}`.trim()

type EntryProps = { action: PaletteAction; onChosen: (then: () => void) => void }

function Entry({ action, onChosen }: EntryProps) {
  const { label, hint, icon: Icon, run } = action
  return (
    <Command.Item value={entryValue(action)} onSelect={() => onChosen(run)} className={ITEM}>
      <Icon aria-hidden />
      <span dir="auto" className="min-w-0 flex-1 truncate">
        {label}
      </span>
      {hint ? <span className="max-w-[40%] truncate text-ink-faint text-xs">{hint}</span> : null}
    </Command.Item>
  )
}
