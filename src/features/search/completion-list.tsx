import { t } from '../../lib/i18n/i18n.ts'
import type { Completion } from './query-syntax.ts'

type CompletionListProps = {
  id: string
  options: readonly Completion[]
  active: number
  onChoose: (option: Completion) => void
}

/** Completions of the current word. The focus stays in the field. */
export function CompletionList({ id, options, active, onChoose }: CompletionListProps) {
  return (
    <>
      <p aria-live="polite" className="sr-only">
        {options.length > 0
          ? t('{count, plural, one {# suggestion} other {# suggestions}}', { count: options.length })
          : ''}
      </p>
      {options.length > 0 ? (
        <div
          id={id}
          role="listbox"
          aria-label={t('Suggestions')}
          className="absolute top-full start-0 z-10 mt-1 w-full max-w-80 overflow-hidden rounded-lg border border-line bg-surface p-1 shadow-lift"
        >
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={option.label}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onChoose(option)}
              className="flex min-h-9 cursor-pointer items-center rounded-md px-3 text-sm hover:bg-hover aria-selected:bg-hover"
            >
              <span dir="auto" className="truncate">
                {option.label}
              </span>
            </div>
          ))}
        </div>
      ) : null}
    </>
  )
}
