import { explain } from './explain.ts'

/** A failure, shown where it happened. */
export const Problem = ({ error }: { readonly error: unknown }) => {
  if (error === undefined || error === null) return null
  const { title, detail, field } = explain(error)
  return (
    <div class="problem" role="alert">
      <strong>{title}:</strong> {detail}
      {field === undefined || detail.includes(field) ? null : (
        <>
          {' '}
          (field <code>{field}</code>)
        </>
      )}
    </div>
  )
}
