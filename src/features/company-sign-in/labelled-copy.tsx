import { CopyField } from '../../components/copy-field.tsx'

export function LabelledCopy({ label, value }: { label: string; value: string }) {
  return (
    <div className="grid gap-1.5">
      <span aria-hidden className="font-medium text-sm">
        {label}
      </span>
      <div dir="ltr">
        <CopyField label={label} value={value} />
      </div>
    </div>
  )
}
