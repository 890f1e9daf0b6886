/** Keeps a fault while drawing one part from taking the page with it. Knows no page. */
import { Component, type ReactNode } from "react";
import { ErrorState } from "./states.tsx";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  /** What was thrown; boxed, because anything can be. */
  readonly fault: { readonly error: unknown } | null;
}

/** Draws its children, or what they threw with a way to try again. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override readonly state: ErrorBoundaryState = { fault: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { fault: { error } };
  }

  override render(): ReactNode {
    const { fault } = this.state;
    if (fault === null) return this.props.children;
    return <ErrorState error={fault.error} onRetry={() => this.setState({ fault: null })} />;
  }
}
