import { Command } from 'cmdk'
import { type LucideIcon, Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useState } from 'react'
import { useFocusReturn } from '../../components/focus-return.ts'
import { t } from '../../lib/i18n/i18n.ts'
import { matching } from './matching.ts'

export type PaletteAction = { id: string; label: string; hint?: string; icon: LucideIcon; run: () => void }
export type PaletteGroup = { heading: string; actions: readonly PaletteAction[] }

type CommandPaletteProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  groups: readonly PaletteGroup[]
  /** Searches the open library for the typed words; offered after the matching actions. */
  onSearch: ((words: string) => void) | undefined
}

const ITEM =
  'flex min-h-10 cursor-pointer items-center gap-3 rounded-md px-3 text-sm data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-ink-faint'

/** Every page and action, found by typing. */
export function CommandPalette({ open, onOpenChange, groups, onSearch }: CommandPaletteProps) {
  const [words, setWords] = useState('')
  const focusReturn = useFocusReturn()
  const close = (then: () => void) => {
    setWords('')
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
          <Radix.Title className="sr-only">{t('Pages and commands')}</Radix.Title>
          <Command label={t('Pages and commands')} loop shouldFilter={false}>
            <Command.Input
              value={words}
              onValueChange={setWords}
              placeholder={t('Pages and commands…')}
              className="h-14 w-full border-line border-b bg-transparent px-5 text-base outline-none placeholder:text-ink-faint"
            />
            <Command.List className="max-h-[50dvh] overflow-y-auto p-2">
              <Command.Empty className="px-3 py-8 text-center text-ink-soft text-sm">{t('No matches.')}</Command.Empty>
              {matching(groups, words).map(({ heading, actions }) => (
                <Command.Group
                  key={heading}
                  heading={heading}
                  className="[&_[cmdk-group-heading]]:eyebrow [&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:pb-1"
                >
                  {actions.map(({ id, label, hint, icon: Icon, run }) => (
                    <Command.Item key={id} value={`${label} ${id}`} onSelect={() => close(run)} className={ITEM}>
                      <Icon aria-hidden />
                      <span className="min-w-0 flex-1 truncate">{label}</span>
                      {hint ? <span className="text-ink-faint text-xs">{hint}</span> : null}
                    </Command.Item>
                  ))}
                </Command.Group>
              ))}
              {onSearch && words.trim() ? (
                <Command.Item
                  value={`search ${words}`}
                  onSelect={() => close(() => onSearch(words.trim()))}
                  className={ITEM}
                >
                  <Search aria-hidden />
                  {t('Search this library for “{words}”', { words: words.trim() })}
                </Command.Item>
              ) : null}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
