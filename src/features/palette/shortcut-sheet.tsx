import { Dialog } from '../../components/dialog.tsx'
import { shortcutLabel } from '../../lib/shortcut.ts'

const SHEET: readonly (readonly [group: string, shortcuts: readonly (readonly [keys: string, does: string])[]])[] = [
  [
    'Everywhere',
    [
      ['mod+k', 'Go to a library, a document or an action'],
      ['?', 'Show this sheet'],
      ['Escape', 'Close what is open'],
    ],
  ],
  [
    'In a library',
    [
      ['/', 'Search its passages'],
      ['n', 'Write a note'],
      ['u', 'Add files'],
    ],
  ],
  [
    'In search results and in a document',
    [
      ['j', 'Next passage'],
      ['k', 'Previous passage'],
      ['Enter', 'Open the passage'],
    ],
  ],
]

export function ShortcutSheet({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <div className="grid gap-6">
        {SHEET.map(([group, shortcuts]) => (
          <section key={group}>
            <h3 className="eyebrow mb-2">{group}</h3>
            <dl className="grid gap-2">
              {shortcuts.map(([keys, does]) => (
                <div key={keys} className="flex items-center justify-between gap-4 text-sm">
                  <dt className="text-ink-soft">{does}</dt>
                  <dd>
                    <kbd className="rounded border border-line bg-sunken px-2 py-0.5 font-sans text-xs">
                      {shortcutLabel(keys)}
                    </kbd>
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
