import type { ReactNode } from 'react'

type SettingsSectionProps = { title: string; lead?: string; children: ReactNode }

export function SettingsSection({ title, lead, children }: SettingsSectionProps) {
  return (
    <section className="border-line border-t py-7 first-of-type:border-t-0 first-of-type:pt-0">
      <h2 className="font-semibold font-serif text-lg">{title}</h2>
      {lead ? <p className="mt-0.5 text-ink-soft text-sm">{lead}</p> : null}
      <div className="mt-4">{children}</div>
    </section>
  )
}
