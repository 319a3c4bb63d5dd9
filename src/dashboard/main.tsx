import { render } from 'preact'
import { App } from './app.tsx'

const root = document.getElementById('dashboard')!
root.replaceChildren()
render(<App />, root)
