import { useState } from 'preact/hooks'
import { headerOf } from './form.ts'
import { Problem } from './problem.tsx'

interface SignInProps {
  /** What the server says, to the token that there was or to there being none. */
  readonly why: string | null
  readonly hadToken: boolean
  readonly onToken: (token: string) => void
}

/** Asks for a token. */
export const SignIn = ({ why, hadToken, onToken }: SignInProps) => {
  const [token, setToken] = useState('')
  const [error, setError] = useState<unknown>()
  const submit = (): void => {
    try {
      const text = headerOf('Token', token.trim().replace(/^Bearer\s+/i, ''))
      setError(undefined)
      if (text !== '') onToken(text)
    } catch (thrown) {
      setError(thrown)
    }
  }
  return (
    <div class="sign-in">
      <h1>Sign in</h1>
      {why === null ? null : hadToken ? (
        <div class="problem" role="alert">
          <strong>Your token is not accepted:</strong> {why}
        </div>
      ) : (
        <p class="faint">The server says: {why}</p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <p class="field">
          <label for="token">Token</label>
          <input
            id="token"
            type="password"
            autocomplete="off"
            spellcheck={false}
            aria-describedby="token-note"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </p>
        <p id="token-note" class="faint">
          It stays in this tab until you sign out or close it. With the scope <code>read</code> it shows; acting needs{' '}
          <code>append</code> or <code>admin</code>.
        </p>
        <Problem error={error} />
        <p class="buttons">
          <button type="submit" class="primary" disabled={token.trim() === ''}>
            Sign in
          </button>
        </p>
      </form>
      <p class="faint">Whoever holds the signing secret makes one with:</p>
      <pre>
        <code>{'npm run -s token -- --tenant acme --scope "append consume read admin"'}</code>
      </pre>
    </div>
  )
}
