import '../../sdk/src/react/react.css';
import './page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { PortalApp } from './portal-app.tsx';
import { takeToken } from './token.ts';

// Before the first render, so that the token leaves the address bar at once.
const token = takeToken();

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <PortalApp initialToken={token} />
  </StrictMode>,
);
